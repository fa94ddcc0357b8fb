import assert from "node:assert/strict";
import { test } from "node:test";

import { changeState, whyNotUndone } from "../../../src/wakeful/web/static/js/transcript/changes.js";

const CHANGED = { path: "a", kind: "changed", added: 2, removed: 1, diff: "", undoable: true, undone: false };

test("a change shows its lines, a new file its size", () => {
  assert.deepEqual(changeState({ changes: [CHANGED] }), { kind: "delta", added: 2, removed: 1 });
  assert.deepEqual(changeState({ changes: [{ ...CHANGED, kind: "created" }] }), { kind: "ok", words: "new, 2 lines" });
  assert.equal(changeState({}), null);
});

test("what was taken back says so, and what was not says why", () => {
  assert.equal(changeState({ changes: [{ ...CHANGED, undone: true }] }).words, "undone by you");
  const skipped = { changes: [CHANGED], notUndone: "changed_since" };
  assert.equal(changeState(skipped).words, "not undone");
  assert.equal(whyNotUndone(skipped)[0], "The file was changed since.");
  assert.equal(whyNotUndone({ changes: [CHANGED] })[0], "");
});
