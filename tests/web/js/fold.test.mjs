import assert from "node:assert/strict";
import { test } from "node:test";

import { applyFrame } from "../../../src/wakeful/web/static/js/session/fold.js";
import { reload } from "../../../src/wakeful/web/static/js/session/reload.js";
import { loadSnapshot } from "../../../src/wakeful/web/static/js/session/snapshot.js";
import { emptyState } from "../../../src/wakeful/web/static/js/session/state.js";
import { isBeyond } from "../../../src/wakeful/web/static/js/stream/cursor.js";
import { lineFrom, makeLog, randomness, snapshotAt } from "./log.mjs";

const ROUNDS = 60;

function opened(log, number) {
  const state = { ...emptyState(), now: () => "then" };
  loadSnapshot(state, snapshotAt(log, number));
  return state;
}

// What a reader sees: the words, and the look of them where that was told.
function shown(state) {
  return state.messages.map(({ id, role, content, reasoning, tool, blocks, html }) => ({
    id,
    role,
    content,
    reasoning,
    tool,
    look: role === "assistant" ? (html ?? blocks?.join("") ?? null) : null,
  }));
}

function follow(state, log) {
  for (const frame of lineFrom(log, state.lastEventId)) applyFrame(state, frame);
  return state;
}

test("a log that is followed from its start shows what is stored", () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const log = makeLog(randomness(seed));
    const live = follow(opened(log, 0), log);
    assert.deepEqual(shown(live), shown(withLook(live, opened(log, log.length))), `seed ${seed}`);
  }
});

// The stored step that is still open has no look of its own until a line tells it.
function withLook(live, stored) {
  for (const message of stored.messages) {
    const same = live.messages.find((one) => one.id === message.id);
    if (message.html === null && message.role === "assistant") message.blocks = same?.blocks ?? null;
  }
  return stored;
}

test("a page that is opened at any moment shows the turn from its beginning", () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = randomness(seed);
    const log = makeLog(random);
    const whole = shown(follow(opened(log, 0), log));
    const later = shown(follow(opened(log, random.below(log.length + 1)), log));
    assert.deepEqual(later, whole, `seed ${seed}`);
  }
});

test("a line that is cut anywhere, and opened again from any earlier place, changes nothing", () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = randomness(seed);
    const log = makeLog(random);
    const whole = shown(follow(opened(log, 0), log));
    const state = opened(log, random.below(log.length + 1));
    for (let cut = 0; cut < 6; cut += 1) readSome(state, log, random);
    assert.deepEqual(shown(follow(state, log)), whole, `seed ${seed}`);
  }
});

function seenWhole(cursor) {
  return cursor.includes(".") ? Math.floor(Number(cursor)) - 1 : Number(cursor);
}

// Another tab may have asked for less than we have.
function readSome(state, log, random) {
  const from = random.chance(0.5) ? state.lastEventId : String(random.below(seenWhole(state.lastEventId) + 1));
  let left = random.below(30);
  const until = log.slice(0, random.below(log.length + 1));
  if (until.length < Math.floor(Number(state.lastEventId))) return;
  for (const frame of lineFrom(until, from)) {
    if (left-- <= 0) return;
    applyFrame(state, frame);
  }
}

test("text on the screen never goes back when another tab asks for less", () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = randomness(seed);
    const log = makeLog(random);
    const state = follow(opened(log, 0), log);
    const before = JSON.stringify(shown(state));
    const from = String(random.below(log.length + 1));
    for (const frame of lineFrom(log, from)) {
      applyFrame(state, frame);
      assert.equal(JSON.stringify(shown(state)), before, `seed ${seed}, ${frame.name} at ${frame.cursor}`);
    }
  }
});

test("a snapshot that comes in the middle of frames is caught up by those that came meanwhile", () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = randomness(seed);
    const log = makeLog(random);
    const whole = shown(follow(opened(log, 0), log));
    const state = opened(log, 0);
    const frames = [...lineFrom(log, "0")];
    const asked = random.below(frames.length);
    const came = asked + random.below(frames.length - asked);
    frames.slice(0, came).forEach((frame) => applyFrame(state, frame));
    const taken = Math.floor(Number(frames[asked].cursor)) + random.below(2);
    reload(state, snapshotAt(log, Math.min(taken, log.length)), frames.slice(asked, came));
    frames.slice(came).forEach((frame) => applyFrame(state, frame));
    assert.deepEqual(shown(state), whole, `seed ${seed}`);
  }
});

test("an abandoned step leaves no text behind", () => {
  const log = [
    { name: "turn_started", data: { session_id: "s", turn_id: "t", source: "user", parent: null } },
    { name: "token", data: { session_id: "s", turn_id: "t", step: 1, text: "half an" } },
    { name: "step_abandoned", data: { session_id: "s", turn_id: "t", step: 1 } },
  ];
  const state = follow(opened(log, 0), log);
  assert.deepEqual(state.messages, []);
  assert.equal(state.turns.get("t").cutStep, 1);
});

test("another answer takes the place of the one that it was asked instead of", () => {
  const log = [
    { name: "turn_started", data: { session_id: "s", turn_id: "t1", source: "user", parent: null } },
    { name: "message", data: { session_id: "s", turn_id: "t1", message_id: "t1.0.1", source: "user", content: "one" } },
    { name: "done", data: { session_id: "s", turn_id: "t1" } },
    { name: "turn_started", data: { session_id: "s", turn_id: "t2", source: "user", parent: null } },
    {
      name: "message",
      data: { session_id: "s", turn_id: "t2", message_id: "t2.0.1", source: "user", content: "another" },
    },
  ];
  const state = follow(opened(log, 0), log);
  assert.deepEqual(
    state.messages.map((message) => message.content),
    ["another"],
  );
});

test("cursors are in the order of the frames", () => {
  const order = ["11", "12.1", "12.2", "12", "13.1", "13"];
  for (const [place, cursor] of order.entries()) {
    for (const [other, against] of order.entries()) assert.equal(isBeyond(cursor, against), place > other);
  }
});

test("words that wait leave the queue when their turn begins, and when they are taken back", () => {
  const state = { ...opened([], 0), queued: [{ turn_id: "a" }, { turn_id: "b" }, { turn_id: "c" }] };
  applyFrame(state, {
    name: "turn_started",
    cursor: "1",
    data: { session_id: "s", turn_id: "a", source: "user", parent: null },
  });
  applyFrame(state, {
    name: "session-updated",
    cursor: "2",
    data: { session_id: "s", changed: ["queued"], turn_id: "b" },
  });
  assert.deepEqual(state.queued, [{ turn_id: "c" }]);
  assert.equal(state.isStale, false);
});

test("a turn that began while there was no line gets its time from the server, one that begins now does not", () => {
  const begins = (cursor) => ({ name: "turn_started", cursor, data: { session_id: "s", turn_id: `t${cursor}`, source: "user", parent: null } });
  const state = opened([], 0);
  applyFrame(state, { name: "initial", cursor: "0", data: { session_id: "s", last_event_id: 1, active: null } });
  applyFrame(state, begins("1"));
  assert.equal(state.isStale, true);
  state.isStale = false;
  applyFrame(state, begins("2"));
  assert.equal(state.isStale, false);
});

test("a log that ends before our cursor is asked for anew", () => {
  const state = opened([], 0);
  state.lastEventId = "9";
  applyFrame(state, { name: "initial", cursor: "0", data: { session_id: "s", last_event_id: 3, active: null } });
  assert.equal(state.isStale, true);
});
