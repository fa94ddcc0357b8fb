// The session that this page shows. The object is changed in place, and `session-changed` says what changed.

import { serverNow } from "../server_clock.js";

export const openSession = emptyState();

export function emptyState() {
  return {
    id: null,
    // As GET /api/session gives it: title, model, pinned, archived, usage, parent, …
    session: null,
    // turn_id → {number, source, status, opened_at, closed_at, model, model_changes, usage}
    turns: new Map(),
    // In the order of the page.
    messages: [],
    hasMore: false,
    // id → task
    tasks: new Map(),
    // task_id → what a running sub-agent does and has used: {tool, argument, words, steps, cost_usd, …}
    works: {},
    approvals: [],
    // Approvals that were answered while the page was open, shown in a line each.
    answered: [],
    queued: [],
    pendingNotices: [],
    // What is to be done: [{id, text, status}]
    todo: [],
    // {turn_id, stream_id, source} or null
    activeTurn: null,
    // This state includes every frame up to here.
    cursor: "0",
    // Where the log ended when the connection opened: facts up to here are in the past.
    caughtUpTo: 0,
    // Something changed that no frame contains: fetch a snapshot.
    isStale: false,
    // The html of the streaming answer: {turnId, step, blocks, isFinal, isShown}
    html: null,
    // {from, to} of events that are no longer in the log.
    gap: null,
    // Frames carry no times: they happened about now.
    now: () => new Date(serverNow()).toISOString(),
  };
}
