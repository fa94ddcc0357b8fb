// What a wake-up card says, in every state.

import assert from "node:assert/strict";
import { test } from "node:test";

import { groupTitle, wakeHow, wakeState, wakeTitle } from "../../../src/wakeful/web/static/js/transcript/wake_words.js";

const NOTICE = { task_id: "proc_1", command: "pytest -q", status: "failed", exit_code: 1, seconds: 9, delivered: "opened", latency_ms: 31 };

function message(notice = {}, more = {}) {
  return { id: "turn_3.0.0", turn_id: "turn_3", source: "process_wakeup", notice: { ...NOTICE, ...notice }, ...more };
}

const match = (more = {}) => message({ status: "running", exit_code: null, pattern: "ERROR", ...more }, { source: "watch_match" });
const report = (more = {}) => message({ kind: "delegation", status: "exited", exit_code: null, ...more }, { source: "delegation_wakeup" });

test("the command and how it ended come first", () => {
  assert.deepEqual(wakeTitle(message()), { command: "pytest -q", words: "failed" });
  assert.deepEqual(wakeTitle(message({ status: "exited", exit_code: 0 })), { command: "pytest -q", words: "ended well" });
  assert.equal(wakeTitle(message({ status: "lost", exit_code: null })).words, "was lost");
  assert.equal(wakeTitle(message({ exit_code: 127 })).words, "was not found");
  assert.deepEqual(wakeTitle(report()), { command: "", words: "Sub-agent reported" });
  assert.equal(wakeTitle(report({ status: "failed" })).words, "Sub-agent failed");
});

test("a title has the first line of a long command", () => {
  assert.equal(wakeTitle(message({ command: "make\nmake install" })).command, "make…");
  assert.equal(wakeTitle(message({ command: "x".repeat(200) })).command.length, 80);
});

test("a match does not end the job, whose current state is shown", () => {
  assert.equal(wakeTitle(match()).words, "printed “ERROR”");
  assert.deepEqual(wakeState(match(), { status: "running" }), { kind: "live", words: "still running" });
  assert.deepEqual(wakeState(match(), { status: "failed", exit_code: 2 }), { kind: "off", words: "since then: failed · exit code 2" });
  assert.equal(wakeState(match(), undefined), null);
});

test("an end has an icon and a word", () => {
  assert.deepEqual(wakeState(message()), { kind: "fail", words: "exit code 1" });
  assert.deepEqual(wakeState(message({ status: "exited", exit_code: 0 })), { kind: "ok", words: "exit code 0" });
  assert.deepEqual(wakeState(message({ status: "exited", exit_code: 0 }), undefined, true), { kind: "ok", words: "ended well" });
  assert.equal(wakeState(message({ status: "lost", exit_code: null })).words, "no exit code");
  assert.deepEqual(wakeState(report()), { kind: "ok", words: "done" });
});

test("several are counted as jobs, not as notices", () => {
  const other = message({ task_id: "proc_2" });
  assert.equal(groupTitle([message(), other]), "2 jobs reported");
  assert.equal(groupTitle([match(), message()]), "1 job reported");
  assert.equal(groupTitle([match(), match()]), "2 watched lines printed");
  assert.equal(groupTitle([report(), report({ task_id: "del_2" })]), "2 sub-agents reported");
});

const turn = (number, opened, closed) => ({ number, opened_at: at(opened), closed_at: closed === null ? null : at(closed) });
const at = (seconds) => new Date(seconds * 1000).toISOString();

test("how the notice reached the agent", () => {
  const turns = new Map([["turn_2", turn(2, 10, 100)], ["turn_3", turn(3, 100, 120)]]);
  assert.equal(wakeHow([message()], turns), "woke the agent at once");
  assert.equal(wakeHow([message({ latency_ms: 7850 })], turns), "waited 7.9 s for turn 2");
  assert.equal(wakeHow([message({ latency_ms: 2_000 }), message({ latency_ms: 66_000 })], turns), "waited 1 min 6 s for turn 2");
  assert.equal(wakeHow([message({ delivered: "with_message" })], turns), "reported with your message");
  assert.equal(wakeHow([message({ delivered: "joined" }, { id: "turn_3.3.2" })], turns), "reported at step 4");
});

test("a wait that no turn caused names none", () => {
  const turns = new Map([["turn_2", turn(2, 10, 20)], ["turn_3", turn(3, 100, 120)]]);
  assert.equal(wakeHow([message({ latency_ms: 30_000 })], turns), "waited 30 s");
  assert.equal(wakeHow([message({ latency_ms: 30_000 })], new Map()), "waited 30 s");
});
