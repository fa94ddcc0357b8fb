// The session that this page shows. There is one; it is changed in place, and `session-changed` says what changed.

import { serverNow } from "../server_clock.js";

export const openSession = emptyState();

export function emptyState() {
  return {
    id: null,
    // As GET /api/session gives it: title, model, pinned, archived, usage, parent, …
    session: null,
    // turn_id → {number, source, status, opened_at, closed_at, model, usage}
    turns: new Map(),
    // In the order of the screen.
    messages: [],
    hasMore: false,
    // id → task
    tasks: new Map(),
    approvals: [],
    // Those that were answered while we looked, for one line each.
    answered: [],
    queued: [],
    pendingNotices: [],
    // {turn_id, stream_id, source} or null
    activeTurn: null,
    // Every frame up to here is in this state.
    cursor: "0",
    // Where the log ended when the line was opened: facts up to here are of the past.
    caughtUpTo: 0,
    // Frames told that something changed which only the server can tell.
    isStale: false,
    // The streamed answer's look: {turnId, step, blocks, isFinal, isShown}
    html: null,
    // {from, to} of events that the log no longer has.
    gap: null,
    // Frames carry no times: what they tell happened about now.
    now: () => new Date(serverNow()).toISOString(),
  };
}
