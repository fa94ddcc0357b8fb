// MCP servers: how each is doing, in words.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readMcpName, serverWords } from "../../../src/wakeful/web/static/js/mcp/mcp_words.js";

const READS = { name: "mcp__s__a", tool: "a", read_only: true };
const WRITES = { name: "mcp__s__b", tool: "b", read_only: false };

function words(server) {
  return serverWords({ state: "ready", error: "", tools: [], restarts: 0, trust: false, ...server });
}

test("a ready server says what its tools do and when it asks", () => {
  assert.equal(words({ tools: [READS, WRITES] }), "2 tools, 1 of them only read · asks before the others");
  assert.equal(words({ tools: [WRITES] }), "1 tool · asks before each call");
  assert.equal(words({ tools: [READS] }), "1 tool, all only read");
  assert.equal(words({ tools: [WRITES], trust: true }), "1 tool");
  assert.equal(words({}), "no tools");
});

test("a server that is not ready says why", () => {
  assert.equal(words({ state: "failed", error: "uvx: command not found", restarts: 3 }), "failed: uvx: command not found. The next call or turn tries again · restarted 3 times");
  assert.equal(words({ state: "starting", tools: [READS] }), "starting; its tools of last time are offered already · 1 tool, all only read");
  assert.equal(words({ state: "idle" }), "starts with the next turn");
  assert.equal(words({ state: "disabled" }), "disabled in the settings file");
});

test("an offered name is read back, and other tools are not", () => {
  assert.deepEqual(readMcpName("mcp__my-images_2__scale__up"), { server: "my-images_2", tool: "scale__up" });
  assert.equal(readMcpName("terminal"), null);
  assert.equal(readMcpName(undefined), null);
});
