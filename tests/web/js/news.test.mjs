// News in words: what happened first, then in which session.

import assert from "node:assert/strict";
import { test } from "node:test";

import { plainWords } from "../../../src/wakeful/web/static/js/home/quote.js";
import { manyWords, newsTitle, newsWords, shortCommand } from "../../../src/wakeful/web/static/js/news/news_words.js";

const ended = { kind: "process_complete", title: "Fix the build", command: "make", status: "failed", exit_code: 2 };

test("an end names the command, its exit code and the session", () => {
  const words = newsWords(ended);
  assert.equal(newsTitle(words), "make failed · exit code 2");
  assert.equal(words.text, "in Fix the build");
  assert.equal(words.kind, "fail");
  assert.equal(newsTitle(newsWords({ ...ended, status: "exited", exit_code: 0 })), "make ended well · exit code 0");
  assert.equal(newsTitle(newsWords({ ...ended, status: "lost", exit_code: null })), "make was lost · no exit code");
});

test("a match is not an end", () => {
  const words = newsWords({ ...ended, kind: "watch_match", status: null, exit_code: null, pattern: "ERROR" });
  assert.equal(newsTitle(words), "make printed “ERROR”");
  assert.equal(words.kind, "wake");
});

test("a sub-agent is named by its goal, a question by its command, a failed turn by its reason", () => {
  const report = newsWords({ ...ended, kind: "delegation_complete", command: "find it", status: "exited", exit_code: 0 });
  assert.deepEqual([newsTitle(report), report.text], ["Sub-agent reported", "“find it” in Fix the build"]);
  const question = newsWords({ ...ended, kind: "approval_required", command: "rm -rf x" });
  assert.equal(newsTitle(question), "rm -rf x waits for your answer");
  const expired = newsWords({ ...ended, kind: "approval_expired", command: "rm -rf x" });
  assert.equal(newsTitle(expired), "rm -rf x was denied, nobody answered");
  const failed = newsWords({ ...ended, kind: "turn_failed", title: "", command: "", outcome: "The model is out of credit." });
  assert.deepEqual([newsTitle(failed), failed.text], ["A turn failed in a new session", "The model is out of credit."]);
});

test("many at once are counted, with what went wrong and what waits", () => {
  const well = { ...ended, status: "exited", exit_code: 0 };
  const asks = { ...ended, kind: "approval_required" };
  assert.deepEqual(manyWords([well, well, ended, well]), { kind: "fail", words: "4 jobs reported", command: "", text: "1 failed" });
  assert.equal(manyWords([well, asks]).text, "1 question waits for you");
  assert.equal(manyWords([asks, asks]).words, "2 questions wait for you");
  const late = { ...ended, kind: "approval_expired" };
  assert.deepEqual([manyWords([well, late]).words, manyWords([well, late]).text], ["1 job reported", "1 question expired"]);
});

test("a long command is cut, and one of several lines is its first", () => {
  assert.equal(shortCommand("make\nmake install"), "make …");
  assert.equal(shortCommand("x".repeat(80)).length, 60);
});

test("a quoted answer has no Markdown signs, and keeps those inside words", () => {
  assert.equal(plainWords("## Done\n\n> `snake_case` is **in** #12 now"), "Done snake_case is in #12 now");
});
