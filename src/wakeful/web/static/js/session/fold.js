// One frame into the state. Answers which parts have changed; `state.isStale` is set when only the server can tell
// more.
// The same frames give the same state, however the line was cut between them.

import { factOf, isBeyond, moveOn } from "../stream/cursor.js";
import { dropHtml, foldHtml, showHtml } from "./html.js";
import { SESSION_FRAMES } from "./session_frames.js";
import { TURN_FRAMES } from "./turn_frames.js";

const FRAMES = { ...SESSION_FRAMES, ...TURN_FRAMES };

export function applyFrame(state, { name, cursor, data }) {
  if (name === "answer_html") return foldHtml(state, cursor, data);
  if (name === "initial") return greet(state, data);
  // What a reader is told on arrival is in its snapshot, or in the log after it.
  if (data.recovered) return [];
  if (name === "step_abandoned") dropHtml(state, data);
  const shown = isBeyond(state.cursor, cursor) ? [] : showHtml(state);
  const next = moveOn(state.cursor, { name, cursor });
  if (next === null) return shown;
  state.cursor = next;
  // It happened while there was no line, and only the server knows when.
  if (name === "turn_started" && factOf(cursor) <= state.caughtUpTo) state.isStale = true;
  return [...shown, ...(FRAMES[name]?.(state, data) ?? [])];
}

// A log that ends before our cursor is another log: a backup, perhaps.
function greet(state, data) {
  // A new line tells the look from its first block on.
  state.html = null;
  state.caughtUpTo = data.last_event_id;
  if (factOf(state.cursor) > data.last_event_id) state.isStale = true;
  return [];
}
