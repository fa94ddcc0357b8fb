// How a job ended, in the words that the page uses everywhere.

import assert from "node:assert/strict";
import { test } from "node:test";

import { codeWords, endedWell, endLine, endWords, exitWords, outcomeWords, promiseWords } from "../../../src/wakeful/web/static/js/words.js";

test("known exit codes have words, and every other one is a failure with its number", () => {
  assert.equal(exitWords(0), "ended well");
  assert.equal(exitWords(124), "ran out of time");
  assert.equal(exitWords(127), "was not found");
  assert.equal(exitWords(137), "was killed (exit code 137), most often for want of memory");
  assert.equal(exitWords(143), "was asked to end");
  assert.equal(exitWords(2), "failed with exit code 2");
});

test("a signal means the same as the code that a shell makes of it, and keeps its own number", () => {
  assert.equal(exitWords(-9), "was killed (exit code -9), most often for want of memory");
  assert.equal(exitWords(-11), "crashed");
});

test("stopped jobs, lost jobs and sub-agents have no exit code", () => {
  assert.equal(endWords({ status: "killed", exit_code: -15 }), "was stopped");
  assert.equal(endWords({ status: "lost", exit_code: null }), "was lost when the machine restarted");
  assert.equal(endWords({ kind: "delegation", status: "exited", exit_code: null }), "reported");
  assert.equal(codeWords({ status: "killed", exit_code: -15 }), "");
  assert.equal(codeWords({ status: "lost", exit_code: null }), "no exit code");
});

test("the outcome and the exit code come apart, or in one line", () => {
  const failed = { status: "exited", exit_code: 2 };
  assert.equal(outcomeWords(failed), "failed");
  assert.equal(endLine(failed), "failed · exit code 2");
  assert.equal(endLine({ status: "exited", exit_code: 0 }), "ended well · exit code 0");
  assert.equal(endLine({ status: "exited", exit_code: null }), "ended");
  assert.equal(endedWell(failed), false);
});

test("a running job says what will wake its session", () => {
  assert.equal(promiseWords({ will_notify: true, watched_for: [] }), "wakes this session");
  assert.equal(promiseWords({ will_notify: false, watched_for: ["ERROR"] }), "watched for “ERROR”");
  assert.equal(promiseWords({ will_notify: true, watched_for: ["a", "b"] }), "wakes this session, watched for “a”, “b”");
  assert.equal(promiseWords({ will_notify: false, watched_for: [] }), "wakes nobody");
});
