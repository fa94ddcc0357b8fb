// How the drawer describes what a finished job did to its session.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

globalThis.location ??= new URL("http://127.0.0.1/");
const { wokeWords } = await import("../../../src/wakeful/web/static/js/drawer/done_row.js");
const { openSession } = await import("../../../src/wakeful/web/static/js/session/state.js");

const ENDED = { id: "proc_1", woke_turn_id: null, will_notify: true };

beforeEach(() => {
  openSession.turns = new Map([["t3", { number: 3 }]]);
  openSession.messages = [];
  openSession.activeTurn = null;
});

test("an end that the agent has not read waits for the running turn", () => {
  openSession.activeTurn = { turn_id: "t3" };
  assert.equal(wokeWords(ENDED), "reports after turn 3");
  openSession.activeTurn = { turn_id: "t4" };
  assert.equal(wokeWords(ENDED), "reports after this turn");
  openSession.activeTurn = null;
  assert.equal(wokeWords(ENDED), "reports next");
});

test("an end that opened a turn woke it, and one that joined a turn reported there", () => {
  const read = { ...ENDED, woke_turn_id: "t3", will_notify: false };
  const deliver = (delivered) => (openSession.messages = [{ notice: { task_id: "proc_1", kind: "process", delivered } }]);
  assert.equal(wokeWords(read), "woke turn 3");
  deliver("opened");
  assert.equal(wokeWords(read), "woke turn 3");
  deliver("joined");
  assert.equal(wokeWords(read), "reported in turn 3");
});

test("an end that wakes no session says so, or which turn a watched line woke", () => {
  const silent = { ...ENDED, will_notify: false };
  assert.equal(wokeWords(silent), "told nobody");
  assert.equal(wokeWords({ ...silent, kind: "delegation", status: "exited" }), "");
  openSession.messages = [{ turn_id: "t3", notice: { task_id: "proc_1", kind: "watch", delivered: "opened" } }];
  assert.equal(wokeWords(silent), "a line woke turn 3");
});
