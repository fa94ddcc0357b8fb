// Applies a frame to the state and returns the names of the parts that changed. Sets `state.isStale` when the page has
// to fetch a snapshot to know the rest.
// The same frames give the same state, wherever the connection broke between them.

import { factOf, isBeyond, moveOn } from "../stream/cursor.js";
import { dropHtml, foldHtml, showHtml } from "./html.js";
import { SESSION_FRAMES } from "./session_frames.js";
import { SUMMARY_FRAMES } from "./summaries.js";
import { TURN_FRAMES } from "./turn_frames.js";

const FRAMES = { ...SESSION_FRAMES, ...TURN_FRAMES, ...SUMMARY_FRAMES };

export function applyFrame(state, { name, cursor, data }) {
  if (name === "answer_html") return foldHtml(state, cursor, data);
  // In no log: the newest one counts.
  if (name === "work") return foldWorks(state, data);
  if (name === "initial") return startConnection(state, data);
  // Frames sent on arrival repeat what is in the snapshot, or in the log after it.
  if (data.recovered) return [];
  if (name === "step_abandoned") dropHtml(state, data);
  const shown = isBeyond(state.cursor, cursor) ? [] : showHtml(state);
  const next = moveOn(state.cursor, { name, cursor });
  if (next === null) return shown;
  state.cursor = next;
  // The turn started while the connection was down, and only the server knows when.
  if (name === "turn_started" && factOf(cursor) <= state.caughtUpTo) state.isStale = true;
  return [...shown, ...(FRAMES[name]?.(state, data) ?? [])];
}

function foldWorks(state, { works }) {
  state.works = works;
  return ["works"];
}

// A log that ends before our cursor is a different one: a restored backup, perhaps.
function startConnection(state, data) {
  // A new connection sends the html again from its first block.
  state.html = null;
  state.caughtUpTo = data.last_event_id;
  if (factOf(state.cursor) > data.last_event_id) state.isStale = true;
  return [];
}
