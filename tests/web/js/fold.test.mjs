import assert from "node:assert/strict";
import { test } from "node:test";

import { applyFrame } from "../../../src/wakeful/web/static/js/session/fold.js";
import { reload } from "../../../src/wakeful/web/static/js/session/reload.js";
import { loadSnapshot } from "../../../src/wakeful/web/static/js/session/snapshot.js";
import { emptyState } from "../../../src/wakeful/web/static/js/session/state.js";
import { isBeyond, lowest, moveOn } from "../../../src/wakeful/web/static/js/stream/cursor.js";
import { lineFrom, makeLog, numbered, randomness, snapshotAt } from "./log.mjs";

const ROUNDS = 60;

function opened(log, moment) {
  const state = { ...emptyState(), now: () => "then" };
  loadSnapshot(state, snapshotAt(log, moment));
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

// Over a line that is opened at a moment; what comes later comes live.
function follow(state, log, moment = log.length) {
  for (const frame of lineFrom(log, state.cursor, moment)) applyFrame(state, frame);
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
    const moment = random.below(log.length + 1);
    const later = shown(follow(opened(log, moment), log, moment + random.below(log.length + 1 - moment)));
    assert.deepEqual(later, whole, `seed ${seed}`);
  }
});

test("a line that is cut anywhere, and opened again from any earlier place, changes nothing", () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = randomness(seed);
    const log = makeLog(random);
    const whole = shown(follow(opened(log, 0), log));
    let moment = random.below(log.length + 1);
    const state = opened(log, moment);
    for (let cut = 0; cut < 6; cut += 1) moment = readSome(state, log, moment, random);
    assert.deepEqual(shown(follow(state, log)), whole, `seed ${seed}`);
  }
});

// Until the line is cut; the moment up to which it may have told. Another tab may have asked for less than we have.
function readSome(state, log, moment, random) {
  const other = snapshotAt(log, random.below(moment + 1)).cursor;
  const from = random.chance(0.5) ? state.cursor : lowest([state.cursor, other]);
  const opened = moment + random.below(log.length + 1 - moment);
  const until = opened + random.below(log.length + 1 - opened);
  let left = random.below(40);
  for (const frame of lineFrom(log.slice(0, until), from, opened)) {
    if (left-- <= 0) break;
    applyFrame(state, frame);
  }
  return until;
}

test("text on the screen never goes back when another tab asks for less", () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = randomness(seed);
    const log = makeLog(random);
    const state = follow(opened(log, 0), log);
    const before = JSON.stringify(shown(state));
    const { cursor } = snapshotAt(log, random.below(log.length + 1));
    for (const frame of lineFrom(log, lowest([cursor, state.cursor]))) {
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
    // In the order in which everything happens; a snapshot has at least what was told before it was asked for.
    const asked = random.below(log.length + 1);
    const words = asked + random.below(log.length + 1 - asked);
    const taken = words + random.below(log.length + 1 - words);
    const came = asked + random.below(log.length + 1 - asked);
    const state = follow(opened(log, 0), log.slice(0, asked), 0);
    const meanwhile = told(log, asked, came);
    for (const frame of meanwhile) applyFrame(state, frame);
    reload(state, snapshotAt(log, taken, words), meanwhile);
    for (const frame of told(log, came, log.length)) applyFrame(state, frame);
    assert.deepEqual(shown(state), whole, `seed ${seed}`);
  }
});

// What a line that is open all the time tells between two moments.
function told(log, from, to) {
  const before = [...lineFrom(log.slice(0, from), "0", 0)].length;
  return [...lineFrom(log.slice(0, to), "0", 0)].slice(before);
}

test("words that we have stay when another node has fewer of them", () => {
  const log = speaking("one ", "two ", "three ");
  const state = follow(opened(log, 0), log);
  reload(state, snapshotAt(log, log.length, log.length - 2), []);
  assert.deepEqual(
    state.messages.map((message) => message.content),
    ["one two three "],
  );
  applyFrame(state, { name: "token", cursor: "1~1~3", data: { ...spoken, text: "three " } });
  applyFrame(state, { name: "token", cursor: "1~1~4", data: { ...spoken, text: "four" } });
  assert.equal(state.messages[0].content, "one two three four");
});

const spoken = { session_id: "ses_1", turn_id: "t", step: 1 };

function speaking(...words) {
  const begun = { name: "turn_started", data: { session_id: "ses_1", turn_id: "t", source: "user", parent: null } };
  return numbered([begun, ...words.map((text) => ({ name: "token", data: { ...spoken, text } }))]);
}

test("a reader that has more words than were kept goes back to those", () => {
  const log = speaking("one ", "two ", "three ");
  const state = follow(opened(log, 0), log);
  applyFrame(state, { name: "step_abandoned", cursor: "1~1~0", data: spoken });
  assert.deepEqual(state.messages, []);
  applyFrame(state, { name: "token", cursor: "1~1~1", data: { ...spoken, text: "one " } });
  applyFrame(state, { name: "cancelled", cursor: "2.1", data: { ...spoken, code: "stopped" } });
  assert.deepEqual(
    state.messages.map((message) => message.content),
    ["one ", "Stopped."],
  );
});

test("a step that was abandoned and begun again is not abandoned a second time", () => {
  const log = numbered([
    ...speaking("wrong"),
    { name: "step_abandoned", data: spoken },
    { name: "token", data: { ...spoken, text: "right" } },
  ]);
  const state = follow(opened(log, 0), log);
  for (const frame of lineFrom(log, "1")) applyFrame(state, frame);
  assert.equal(state.messages[0].content, "right");
});

test("an abandoned step leaves no text behind", () => {
  const log = numbered([...speaking("half an"), { name: "step_abandoned", data: spoken }]);
  const state = follow(opened(log, 0), log);
  assert.deepEqual(state.messages, []);
  assert.equal(state.turns.get("t").cutStep, 1);
});

test("another answer takes the place of the one that it was asked instead of", () => {
  const log = numbered([
    { name: "turn_started", data: { session_id: "s", turn_id: "t1", source: "user", parent: null } },
    { name: "message", data: { session_id: "s", turn_id: "t1", message_id: "t1.0.1", source: "user", content: "one" } },
    { name: "done", data: { session_id: "s", turn_id: "t1" } },
    { name: "turn_started", data: { session_id: "s", turn_id: "t2", source: "user", parent: null } },
    {
      name: "message",
      data: { session_id: "s", turn_id: "t2", message_id: "t2.0.1", source: "user", content: "another" },
    },
  ]);
  const state = follow(opened(log, 0), log);
  assert.deepEqual(
    state.messages.map((message) => message.content),
    ["another"],
  );
});

test("cursors are in the order of the frames", () => {
  const order = ["11", "11~9~1", "11~9~2", "12.1~9~2", "12~9~2", "12~9~10", "13.1", "13.2", "13", "13~13~1", "14"];
  for (const [place, cursor] of order.entries()) {
    for (const [other, against] of order.entries()) assert.equal(isBeyond(cursor, against), place > other);
  }
});

test("a reader moves on with what it has not had, of facts and of words apart", () => {
  const cases = [
    // A word, and the word before it.
    ["12~9~3", "12~9~4", "12~9~4"],
    ["12~9~3", "12~9~3", null],
    // Words that came before a fact here, and after it there.
    ["13~9~3", "12~9~4", "13~9~4"],
    ["12~9~20", "13~9~8", "13~9~20"],
    ["12~9~20", "13", "13~9~20"],
    // The words of a fact that we have passed, and those of the next one.
    ["13", "12~9~4", null],
    ["13~9~20", "13~13~1", "13~13~1"],
    ["12~9~3", "13.1", "13.1~9~3"],
    ["12", "12~9~1", "12~9~1"],
  ];
  for (const [at, cursor, next] of cases) assert.equal(moveOn(at, { name: "token", cursor }), next, `${at} ${cursor}`);
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
  state.cursor = "9";
  applyFrame(state, { name: "initial", cursor: "0", data: { session_id: "s", last_event_id: 3, active: null } });
  assert.equal(state.isStale, true);
});
