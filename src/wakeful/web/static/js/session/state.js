// The session that this page shows. There is one; it is changed in place, and `session-changed` says what changed.

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
    // The cursor: every frame up to here is in this state.
    lastEventId: "0",
  };
}
