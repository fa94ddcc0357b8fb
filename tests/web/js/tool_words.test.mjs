import assert from "node:assert/strict";
import { test } from "node:test";

import { failureSentence } from "../../../src/wakeful/web/static/js/transcript/failure_words.js";
import { callState, readCall } from "../../../src/wakeful/web/static/js/transcript/tool_words.js";

const RUN = {
  name: "terminal",
  call_id: "c",
  arguments: '{"command": "make docs", "timeout": 60}',
  seconds: 3.4,
  status: "done",
};

function stateOf(tool, tasks = [], isAsking = false) {
  return callState({ tool, created_at: "2026-01-01T00:00:00Z" }, readCall(tool), tasks, isAsking);
}

test("a call is known by what it runs", () => {
  assert.equal(readCall({ ...RUN, result: null }).what, "make docs");
  assert.equal(
    readCall({ ...RUN, name: "delegate_task", arguments: '{"tasks": [{"goal": "one"}, {"goal": "two"}]}' }).what,
    "one; two",
  );
  assert.equal(readCall({ ...RUN, arguments: '{"command": "half' }).what, '{"command": "half');
});

test("a change of the plan is known by what is done now and how much is over", () => {
  const plan = (...items) => ({ ...RUN, name: "todo", arguments: "{}", result: JSON.stringify({ items }) });
  const [done, active] = [{ text: "Read", status: "done" }, { text: "Mend", status: "active" }];
  assert.equal(readCall(plan(done, active)).what, "Mend");
  assert.deepEqual(stateOf(plan(done, active)), { kind: "ok", words: "1 of 2 done" });
  assert.equal(stateOf(plan(active)).words, "0 of 1 done");
  assert.equal(readCall(plan({ ...active, status: "pending" })).what, "1 step");
  assert.equal(stateOf(plan({ ...active, status: "pending" })).words, "planned");
});

test("a tool of an MCP server is known by the server and by all that it is given", () => {
  const call = readCall({ ...RUN, name: "mcp__tickets__search", arguments: '{"q":"checkout","limit":3}', result: "ok" });
  assert.deepEqual([call.icon, call.name, call.what], ["plug", "tickets · search", '{"q":"checkout","limit":3}']);
});

test("a search that found nothing says so in its row", () => {
  assert.equal(stateOf({ ...RUN, name: "search_files", result: "[No matches.]" }).words, "no matches · 3.4 s");
});

test("a call tells how its command ended", () => {
  const ended = (code, error = null) =>
    stateOf({ ...RUN, result: JSON.stringify({ output: "", exit_code: code, error }) });
  assert.deepEqual(ended(0), { kind: "ok", words: "3.4 s" });
  assert.deepEqual(ended(2), { kind: "fail", words: "exit code 2 · 3.4 s" });
  assert.equal(readCall({ ...RUN, result: '{"output": "", "exit_code": 2, "error": null}' }).error, "");
  assert.equal(stateOf({ ...RUN, status: "interrupted", result: null }).words, "stopped");
  assert.equal(stateOf({ ...RUN, status: "running", result: null }, [], true).kind, "needs");
});

const failed = (code, more = {}) => ({
  ...RUN,
  is_error: true,
  result: JSON.stringify({ error: "It did not work.", code, ...more }),
});

test("a call that failed says why in its row, red where something went wrong", () => {
  const tool = failed("not_found");
  assert.equal(readCall(tool).error, "It did not work.");
  assert.deepEqual(stateOf(tool), { kind: "fail", words: "not found · 3.4 s" });
  assert.equal(stateOf(failed("a_code_of_tomorrow")).words, "failed · 3.4 s");
});

test("what the model is told of a refusal is said to the reader in other words", () => {
  assert.equal(failureSentence({ code: "denied", error: "Do not try it again." }), "You said no.");
  assert.equal(failureSentence({ code: "denied", error: "Do not try it again.", isChat: true }), "It was denied.");
  const [edit, push] = ["… (accept_edits allows it, ask asks first).", "… (ask and accept_edits ask about it)."];
  assert.equal(failureSentence({ code: "read_only", error: edit }), "This session may only read. Accept edits would allow it.");
  assert.equal(failureSentence({ code: "read_only", error: push }), "This session may only read.");
  assert.equal(failureSentence({ code: "unknown_tool", error: "There is no tool 'x'; the tools are: y, z." }), "There is no tool 'x'.");
  assert.equal(failureSentence({ code: "not_found", error: "a.txt was not found." }), "a.txt was not found.");
});

test("calls that were held back or interrupted are grey", () => {
  for (const code of ["denied", "expired", "read_only", "interrupted", "nobody_to_ask"]) {
    assert.equal(stateOf(failed(code)).kind, "off", code);
  }
});

test("a call that the end of its turn interrupted says whether it was stopped", () => {
  const cut = { tool: { ...RUN, status: "interrupted", result: null, is_error: true }, created_at: "" };
  assert.equal(callState(cut, readCall(cut.tool), [], false, { status: "cancelled" }).words, "stopped");
  assert.equal(callState(cut, readCall(cut.tool), [], false, { status: "failed" }).words, "cut off");
});

test("a failure whose result was cut still says what it was", () => {
  const whole = failed("timeout", { output: "x".repeat(90) });
  const cut = { ...whole, truncated: true, result: `${whole.result.slice(0, 80)}\n[… cut …]\nx"}` };
  assert.deepEqual([readCall(cut).error, readCall(cut).code], ["It did not work.", "timeout"]);
});

test("a background call goes on showing its process", () => {
  const tool = {
    ...RUN,
    arguments: '{"command": "sleep 9", "background": true}',
    result: '{"session_id": "proc_1", "exit_code": 0}',
  };
  assert.deepEqual(readCall(tool).taskIds, ["proc_1"]);
  const task = { id: "proc_1", kind: "process", started_at: "2026-01-01T00:00:00Z", exit_code: null };
  assert.equal(stateOf(tool, [{ ...task, status: "running" }]).kind, "live");
  assert.deepEqual(stateOf(tool, [{ ...task, status: "failed", exit_code: 1 }]), {
    kind: "fail",
    id: "proc_1",
    words: "exit code 1",
  });
});

test("the ends of a long result are read like the whole", () => {
  const whole = JSON.stringify({ output: 'first "line"\n\u001b[31mred\tend', exit_code: 3, error: null });
  const cut = { ...RUN, truncated: true, full_size: 90_000, result: whole.replace("red", "[… cut …]\nred") };
  const call = readCall(cut);
  assert.equal(call.output, 'first "line"\n\u001b[31m[… cut …]\nred\tend');
  assert.equal(call.exitCode, 3);
});
