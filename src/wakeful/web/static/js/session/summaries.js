// Frames of a summary, which stands among the messages where it was made.

import { add, remove } from "./messages.js";

export const SUMMARY_FRAMES = {
  compaction_started: startSummary,
  compaction_done: endSummary,
  // The turn fails with the same sentence.
  compaction_failed: (state, { turn_id, step }) => leave(state, [idOf(turn_id, step)]),
};

export function startSummary(state, { turn_id, step, reason, context_tokens, started_at: created_at = state.now() }) {
  if (!state.turns.has(turn_id)) return [];
  const summary = { reason, tokens_before: context_tokens, tokens_after: null, model: null };
  addSummary(state, { id: idOf(turn_id, step), turn_id, summary, isOpen: true, created_at });
  return ["messages"];
}

function endSummary(state, { turn_id, message_id: id, tokens_before, tokens_after, model }) {
  if (!state.turns.has(turn_id)) return [];
  const reason = state.messages.findLast((message) => message.id === id)?.summary?.reason ?? null;
  addSummary(state, { id, turn_id, summary: { reason, tokens_before, tokens_after, model } });
  if (state.session?.usage) state.session.usage = { ...state.session.usage, context_tokens: tokens_after };
  // The frame lacks the text and the cost.
  state.isStale = true;
  return ["messages", "session"];
}

// A summary that was not made leaves nothing behind.
export function leaveOpenSummaries(state, turnId) {
  const open = state.messages.filter(({ turn_id, summary, isOpen }) => turn_id === turnId && summary && isOpen);
  leave(
    state,
    open.map(({ id }) => id),
  );
}

export function isSummingUp(state) {
  return state.messages.some(({ summary, isOpen }) => summary && isOpen);
}

function leave(state, ids) {
  for (const id of ids) remove(state, id);
  return ["messages"];
}

function addSummary(state, fields) {
  add(state, { role: "note", source: "summary", ...fields });
}

// The summary is a step of its turn.
function idOf(turnId, step) {
  return `${turnId}.${step}.0`;
}
