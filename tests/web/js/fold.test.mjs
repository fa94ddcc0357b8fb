import assert from "node:assert/strict";
import { test } from "node:test";

import { applyFrame } from "../../../src/wakeful/web/static/js/session/fold.js";
import { reload } from "../../../src/wakeful/web/static/js/session/reload.js";
import { loadSnapshot } from "../../../src/wakeful/web/static/js/session/snapshot.js";
import { emptyState } from "../../../src/wakeful/web/static/js/session/state.js";
import { isBeyond, lowest, moveOn } from "../../../src/wakeful/web/static/js/stream/cursor.js";
import { streamFrom, makeLog, numbered, randomness, snapshotAt } from "./log.mjs";

const ROUNDS = 60;

function opened(log, moment) {
  const state = { ...emptyState(), now: () => "then" };
  loadSnapshot(state, snapshotAt(log, moment));
  return state;
}

// What a reader sees: the text, and its html where that has arrived. The text of a summary is in no frame.
function shown(state) {
  return state.messages.map(({ id, role, content, reasoning, tool, summary, isOpen, blocks, html }) => ({
    id,
    role,
    content: summary ? "" : content,
    summary: summary && { ...summary, isOpen },
    reasoning,
    tool,
    look: role === "assistant" ? (html ?? blocks?.join("") ?? null) : null,
  }));
}

// Follows a stream that is opened at a moment; later frames arrive live.
function follow(state, log, moment = log.length) {
  for (const frame of streamFrom(log, state.cursor, moment)) applyFrame(state, frame);
  return state;
}

test("a log that is followed from its start shows what is stored", () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const log = makeLog(randomness(seed));
    const live = follow(opened(log, 0), log);
    const stored = opened(log, log.length);
    assert.deepEqual(shown(live), shown(withLook(live, stored)), `seed ${seed}`);
    assert.deepEqual(answeredChanges(live), answeredChanges(stored), `seed ${seed}`);
  }
});

// By turn, who answered instead of whom.
function answeredChanges({ turns }) {
  const closed = ({ model_changes: changes }) => changes.filter((change) => !change.isOpen);
  return [...turns].map(([id, turn]) => [id, closed(turn).map(({ step, from, to, code }) => ({ step, from, to, code }))]);
}

// A stored step that is still open has no html until a stream sends it.
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

test("a stream that breaks anywhere, and is reopened from any earlier cursor, changes nothing", () => {
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

// Reads until the stream breaks, and returns the moment up to which it was sent. Another tab may have a lower cursor.
function readSome(state, log, moment, random) {
  const other = snapshotAt(log, random.below(moment + 1)).cursor;
  const from = random.chance(0.5) ? state.cursor : lowest([state.cursor, other]);
  const opened = moment + random.below(log.length + 1 - moment);
  const until = opened + random.below(log.length + 1 - opened);
  let left = random.below(40);
  for (const frame of streamFrom(log.slice(0, until), from, opened)) {
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
    for (const frame of streamFrom(log, lowest([cursor, state.cursor]))) {
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
    // In the order of events; a snapshot has at least what was sent before it was requested.
    const asked = random.below(log.length + 1);
    const words = asked + random.below(log.length + 1 - asked);
    const taken = words + random.below(log.length + 1 - words);
    const came = asked + random.below(log.length + 1 - asked);
    const state = follow(opened(log, 0), log.slice(0, asked), 0);
    const meanwhile = sentBetween(log, asked, came);
    for (const frame of meanwhile) applyFrame(state, frame);
    reload(state, snapshotAt(log, taken, words), meanwhile);
    for (const frame of sentBetween(log, came, log.length)) applyFrame(state, frame);
    assert.deepEqual(shown(state), whole, `seed ${seed}`);
  }
});

// The frames that a stream without breaks sends between two moments.
function sentBetween(log, from, to) {
  const before = [...streamFrom(log.slice(0, from), "0", 0)].length;
  return [...streamFrom(log.slice(0, to), "0", 0)].slice(before);
}

test("text that we have stays when another node has less of it", () => {
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

test("a reader with more text than was kept goes back to that", () => {
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
  for (const frame of streamFrom(log, "1")) applyFrame(state, frame);
  assert.equal(state.messages[0].content, "right");
});

test("an abandoned step leaves no text behind", () => {
  const log = numbered([...speaking("half an"), { name: "step_abandoned", data: spoken }]);
  const state = follow(opened(log, 0), log);
  assert.deepEqual(state.messages, []);
  assert.equal(state.turns.get("t").cutStep, 1);
});

test("a turn says that another model answers, until it has ended without an answer of that step", () => {
  const change = { step: 1, from: "a:one", to: "b:two", code: "model_credit", message: "No credit." };
  const log = numbered([
    ...speaking("half"),
    { name: "step_abandoned", data: spoken },
    { name: "model_changed", data: { ...spoken, ...change } },
    { name: "token", data: { ...spoken, text: "whole" } },
    { name: "usage", data: { ...spoken, model: "b:two" } },
  ]);
  const state = follow(opened(log, 0), log);
  assert.deepEqual(state.turns.get("t").model_changes, [{ ...change, isOpen: false }]);
  assert.deepEqual(
    state.messages.map(({ content, model }) => [content, model]),
    [["whole", "b:two"]],
  );
  const again = { ...change, step: 2, from: "b:two", to: "c:three" };
  applyFrame(state, { name: "model_changed", cursor: "98", data: { ...spoken, ...again } });
  assert.equal(state.turns.get("t").model_changes.at(-1).isOpen, true);
  applyFrame(state, { name: "failed", cursor: "99", data: { session_id: "s", turn_id: "t", code: "model_credit" } });
  assert.deepEqual(state.turns.get("t").model_changes, [{ ...change, isOpen: false }]);
});

test("a page that was opened after another model had taken over asks the server why", () => {
  const log = speaking("half");
  const state = follow(opened(log, log.length), log);
  applyFrame(state, { name: "usage", cursor: "9", data: { ...spoken, model: "a:one" } });
  assert.equal(state.isStale, false);
  applyFrame(state, { name: "usage", cursor: "10", data: { ...spoken, step: 2, model: "b:two" } });
  assert.equal(state.isStale, true);
});

test("a snapshot keeps a model that takes over and has not answered yet", () => {
  const change = { step: 1, from: "a:one", to: "b:two", code: "model_credit", message: "No credit." };
  const log = numbered([...speaking(), { name: "model_changed", data: { ...spoken, ...change } }]);
  const state = follow(opened(log, 0), log);
  reload(state, snapshotAt(log, log.length), []);
  assert.deepEqual(state.turns.get("t").model_changes, [{ ...change, isOpen: true }]);
});

const started = { name: "compaction_started", data: { ...spoken, reason: "auto", context_tokens: 900 } };

test("a summary that is stopped or does not fit leaves no line", () => {
  const endings = [
    { name: "cancelled", data: { ...spoken, code: "stopped" } },
    { name: "compaction_failed", data: { ...spoken, reason: "auto", context_tokens: 900, message: "Too long." } },
  ];
  for (const ending of endings) {
    const state = follow(opened([], 0), numbered([...speaking(), started]));
    assert.equal(state.messages[0].isOpen, true);
    applyFrame(state, { cursor: "9", ...ending });
    assert.equal(
      state.messages.some((message) => message.summary),
      false,
    );
  }
});

test("a step that was a summary before a crash can be an answer after it", () => {
  const state = follow(opened([], 0), numbered([...speaking(), started, { name: "token", data: { ...spoken, text: "hello" } }]));
  assert.deepEqual(
    state.messages.map(({ role, content }) => [role, content]),
    [["assistant", "hello"]],
  );
});

test("the meter follows each answer and each summary", () => {
  const state = opened([], 0);
  state.session.usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0, unpriced_tokens: 0, context_tokens: 0, context_window: 1000 };
  const usage = (step, cost_usd) => ({ name: "usage", data: { ...spoken, step, usage: { input_tokens: 100, output_tokens: 10 }, cost_usd } });
  const made = { message_id: "t.1.0", tokens_before: 900, tokens_after: 90, model: "a:one" };
  follow(state, numbered([...speaking(), usage(1, null)]));
  assert.equal(state.session.usage.cost_usd, null);
  applyFrame(state, { cursor: "8", ...usage(2, 0.5) });
  const { context_tokens, cost_usd, unpriced_tokens } = state.session.usage;
  assert.deepEqual([context_tokens, cost_usd, unpriced_tokens], [100, 0.5, 110]);
  assert.deepEqual(state.turns.get("t").usage, { input_tokens: 200, output_tokens: 20, cost_usd: 0.5, unpriced_tokens: 110 });
  applyFrame(state, { name: "compaction_done", cursor: "9", data: { ...spoken, ...made } });
  assert.deepEqual([state.session.usage.context_tokens, state.isStale], [90, true]);
});

test("a regenerated answer replaces the earlier one", () => {
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
  for (const [index, cursor] of order.entries()) {
    for (const [other, against] of order.entries()) assert.equal(isBeyond(cursor, against), index > other);
  }
});

test("a reader moves on with frames that it lacks, counting facts and text separately", () => {
  const cases = [
    // A piece of text, and the one before it.
    ["12~9~3", "12~9~4", "12~9~4"],
    ["12~9~3", "12~9~3", null],
    // Text that came before a fact for one reader, and after it for another.
    ["13~9~3", "12~9~4", "13~9~4"],
    ["12~9~20", "13~9~8", "13~9~20"],
    ["12~9~20", "13", "13~9~20"],
    // The text of a fact that we have passed, and that of the next one.
    ["13", "12~9~4", null],
    ["13~9~20", "13~13~1", "13~13~1"],
    ["12~9~3", "13.1", "13.1~9~3"],
    ["12", "12~9~1", "12~9~1"],
  ];
  for (const [at, cursor, next] of cases) assert.equal(moveOn(at, { name: "token", cursor }), next, `${at} ${cursor}`);
});

test("messages leave the queue when their turn begins and when they are withdrawn", () => {
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

test("a turn that began while the stream was down gets its time from the server, one that begins now does not", () => {
  const begins = (cursor) => ({ name: "turn_started", cursor, data: { session_id: "s", turn_id: `t${cursor}`, source: "user", parent: null } });
  const state = opened([], 0);
  applyFrame(state, { name: "initial", cursor: "0", data: { session_id: "s", last_event_id: 1, active: null } });
  applyFrame(state, begins("1"));
  assert.equal(state.isStale, true);
  state.isStale = false;
  applyFrame(state, begins("2"));
  assert.equal(state.isStale, false);
});

test("a log that ends before our cursor is fetched again", () => {
  const state = opened([], 0);
  state.cursor = "9";
  applyFrame(state, { name: "initial", cursor: "0", data: { session_id: "s", last_event_id: 3, active: null } });
  assert.equal(state.isStale, true);
});

test("a turn whose answer was cut at the output limit says so", () => {
  const log = numbered(speaking("half"));
  const state = follow(opened(log, 0), log);
  assert.equal(state.turns.get("t").is_cut, false);
  applyFrame(state, { name: "done", cursor: "99", data: { session_id: "s", turn_id: "t", incomplete: "max_output_tokens" } });
  assert.equal(state.turns.get("t").is_cut, true);
});
