// Loads a snapshot into a state that frames went on changing while it was fetched.

import { applyFrame } from "./fold.js";
import { showHtml } from "./html.js";
import { loadSnapshot } from "./snapshot.js";

export function reload(state, snapshot, meanwhile) {
  const rendered = new Map(state.messages.filter((message) => message.blocks).map((message) => [message.id, message]));
  const { html } = state;
  loadSnapshot(state, snapshot);
  // The html of the answer is already up to date.
  for (const frame of meanwhile) if (frame.name !== "answer_html") applyFrame(state, frame);
  state.html = html;
  for (const message of state.messages) {
    const before = rendered.get(message.id);
    if (before && message.html === null && message.content === before.content) message.blocks ??= before.blocks;
  }
  if (!html) return;
  html.isShown = false;
  showHtml(state);
}
