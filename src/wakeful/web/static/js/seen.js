// Reports to the server how far the reader has seen the open session, so what is in view is not unread.

import { api } from "./api.js";
import { on } from "./bus.js";
import { openSession } from "./session/state.js";
import { factOf } from "./stream/cursor.js";

const GATHER_MS = 400;
let timer = 0;
let reported = "";

export function startSeen() {
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(report, GATHER_MS);
  };
  on("session-changed", (changed) => changed.includes("turns") && later());
  document.addEventListener("visibilitychange", later);
  on("row", (row) => row.session_id === openSession.id && row.unread && later());
}

async function report() {
  const { id, session, cursor, activeTurn } = openSession;
  if (document.hidden || !session || activeTurn) return;
  const event_id = factOf(cursor);
  const mark = `${id}:${event_id}`;
  if (mark === reported) return;
  reported = mark;
  try {
    await api.post("/api/session/seen", { session_id: id, event_id });
  } catch (error) {
    // The session stays unread until the next attempt.
    reported = "";
    console.info("not marked as seen:", error.message);
  }
}
