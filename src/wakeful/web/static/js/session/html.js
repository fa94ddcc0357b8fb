// The rendered html of the streaming answer. Its blocks are no part of the log: they are collected whatever our cursor
// is, and shown once the state has reached theirs.

import { isBeyond } from "../stream/cursor.js";
import { answerOf, touch } from "./messages.js";

export function foldHtml(state, cursor, { turn_id: turnId, step, from, blocks, is_final: isFinal }) {
  const before = state.html;
  const isSame = before?.turnId === turnId && before.step === step;
  const kept = isSame ? before.blocks.slice(0, from) : [];
  state.html = { turnId, step, blocks: [...kept, ...blocks], isFinal, isShown: false };
  return isBeyond(state.cursor, cursor) ? [] : showHtml(state);
}

// Called again after each frame, because the html may arrive before the frame that it belongs to.
export function showHtml(state) {
  const { html } = state;
  if (!html || html.isShown) return [];
  html.isShown = true;
  const isThere = state.messages.some((message) => message.id === `${html.turnId}.${html.step}.0`);
  if (!isThere && state.activeTurn?.turn_id !== html.turnId) return [];
  const message = touch(answerOf(state, html.turnId, html.step));
  message.blocks = html.blocks;
  return ["messages"];
}

// The step starts over, whatever our cursor is.
export function dropHtml(state, { turn_id: turnId, step }) {
  if (state.html?.turnId === turnId && state.html.step === step) state.html = null;
}
