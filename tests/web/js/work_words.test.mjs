// What the page says about running sub-agents.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.location ??= new URL("http://127.0.0.1/");
const JS = "../../../src/wakeful/web/static/js";
const { delegatesOf, doingWords, usedWords } = await import(`${JS}/work_words.js`);
const { applyFrame } = await import(`${JS}/session/fold.js`);
const { emptyState } = await import(`${JS}/session/state.js`);

const WORK = { tool: "", argument: "", words: "", steps: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0, sub_agents: 0, model: "" };

test("a sub-agent shows the tool that it runs, else its last words, else that it thinks", () => {
  const said = { ...WORK, words: "Three places." };
  assert.equal(doingWords({ ...said, tool: "terminal", argument: "pytest -q" }), "terminal pytest -q");
  assert.equal(doingWords({ ...said, tool: "list_files" }), "list_files");
  assert.equal(doingWords(said), "“Three places.”");
  assert.equal(doingWords(WORK), "thinking");
  assert.equal(doingWords(undefined), "thinking");
});

test("what it has used says whether a price is unknown, and counts its own sub-agents", () => {
  const used = { ...WORK, steps: 4, input_tokens: 12_000, output_tokens: 300, cost_usd: 0.03, sub_agents: 1 };
  assert.equal(usedWords(used), "4 steps · 12.3k tokens · $0.03 · 1 sub-agent");
  assert.equal(usedWords({ ...used, cost_usd: null, sub_agents: 0 }), "4 steps · 12.3k tokens · no price");
  assert.equal(usedWords({ ...WORK, steps: 1 }), "1 step");
  assert.equal(usedWords({ ...WORK, steps: 1, model: "openai:gpt-5" }), "gpt-5 · 1 step");
  assert.equal(usedWords(undefined), "");
});

test("a call finds its own running sub-agents, in the order of their goals", () => {
  const task = (id, command, more = {}) => ({ id, kind: "delegation", status: "running", message_id: "t1.1.1", command, ...more });
  const tasks = [
    task("del_1", "count\n\nContext:\nthe farm"),
    task("del_2", "sort"),
    task("del_3", "count", { message_id: "t1.1.2" }),
    task("del_4", "count", { status: "exited" }),
    task("proc_1", "count", { kind: "process" }),
  ];
  const found = (id, given) => delegatesOf({ id }, given, tasks).map((one) => one.id);
  assert.deepEqual(found("t1.1.1", { tasks: [{ goal: "sort" }, { goal: " count " }] }), ["del_2", "del_1"]);
  assert.deepEqual(found("t1.1.1", { tasks: [{ goal: "count" }, { goal: "sort" }] }), ["del_1", "del_2"]);
  assert.deepEqual(found("t1.1.2", { goal: "count" }), ["del_3"]);
  assert.deepEqual(found("t1.1.3", null), []);
});

test("the newest frame about sub-agents counts, and moves no cursor", () => {
  const state = { ...emptyState(), cursor: "7" };
  const work = (works) => applyFrame(state, { name: "work", cursor: "7", data: { session_id: "s", works } });
  assert.deepEqual(work({ del_1: WORK, del_2: WORK }), ["works"]);
  work({ del_2: WORK });
  assert.deepEqual([state.works, state.cursor], [{ del_2: WORK }, "7"]);
});
