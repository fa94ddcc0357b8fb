// Loads GET /api/session into the state. Everything in a snapshot is as of its cursor.

import { withTextOf } from "../stream/cursor.js";
import { answerOf, merged, touch } from "./messages.js";
import { startSummary } from "./summaries.js";

export function loadSnapshot(state, snapshot) {
  const isSameSession = state.id === snapshot.session.session_id;
  const known = isSameSession ? state.messages : [];
  const older = isSameSession ? olderThan(known, snapshot.messages[0]) : [];
  // The snapshot of another node may have less text of the open step than we have.
  const open = openAnswer(known, snapshot.active);
  const cursor = open ? withTextOf(snapshot.cursor, state.cursor) : snapshot.cursor;
  state.id = snapshot.session.session_id;
  state.session = snapshot.session;
  state.messages = [...older, ...merged(known, snapshot.messages)];
  if (!older.length) state.hasMore = Boolean(snapshot.has_more);
  const turns = isSameSession ? state.turns : new Map();
  keepOpenChanges(snapshot, turns);
  state.turns = new Map([...turns, ...Object.entries(snapshot.turns ?? {})]);
  state.tasks = new Map(snapshot.tasks.map((task) => [task.id, task]));
  state.approvals = snapshot.approvals;
  state.queued = snapshot.queued;
  state.pendingNotices = snapshot.pending_notices ?? [];
  state.todo = snapshot.todo ?? [];
  state.activeTurn = snapshot.active;
  state.cursor = cursor;
  if (cursor === snapshot.cursor) loadPartial(state, snapshot.active);
  else state.messages.push(open);
  const summary = snapshot.active?.compaction;
  if (summary) startSummary(state, { turn_id: snapshot.active.turn_id, ...summary });
}

// Adds an older page, which was requested with `before` the first message that we have.
export function loadOlder(state, snapshot) {
  const known = new Set(state.messages.map((message) => message.id));
  const older = merged([], snapshot.messages).filter((message) => !known.has(message.id));
  state.messages = [...older, ...state.messages];
  state.turns = new Map([...Object.entries(snapshot.turns ?? {}), ...state.turns]);
  state.hasMore = Boolean(snapshot.has_more) && older.length > 0;
}

// The running step is not stored yet: its text so far comes beside the messages.
function loadPartial(state, active) {
  const partial = active?.partial;
  if (!partial || (!partial.text && !partial.reasoning)) return;
  const message = touch(answerOf(state, active.turn_id, partial.step));
  message.content = partial.text;
  message.reasoning = partial.reasoning || null;
  const { html } = state;
  if (html?.turnId === active.turn_id && html.step === partial.step) message.blocks = html.blocks;
}

function openAnswer(known, active) {
  const isOpen = (message) => message.isOpen && !message.summary && message.turn_id === active?.turn_id;
  return known.findLast(isOpen);
}

// A model that took over is stored with its answer: until then only frames tell of it.
function keepOpenChanges({ active, turns }, known) {
  const changes = known.get(active?.turn_id)?.model_changes ?? [];
  const stored = turns?.[active?.turn_id];
  if (!stored) return;
  const isStored = ({ step }) => stored.model_changes.some((change) => change.step === step);
  stored.model_changes = [...stored.model_changes, ...changes.filter((change) => change.isOpen && !isStored(change))];
}

// Keeps the older pages if the conversation still contains them.
function olderThan(known, first) {
  const at = first ? known.findIndex((message) => message.id === first.id) : -1;
  return at === -1 ? [] : known.slice(0, at);
}
