// What a running turn is doing: answering, waiting for the reader, or unknown because the connection is down.

import { el, icon } from "../dom.js";
import { duration } from "../format.js";
import { openSession } from "../session/state.js";
import { connectionState } from "../stream/connection.js";
import { tick } from "../ticker.js";

// The view is redrawn only when this changes.
export function workingKind() {
  if (connectionState() !== "live") return "unseen";
  // A question of a sub-agent does not block this turn.
  return openSession.approvals.some((approval) => !approval.task_id) ? "asking" : "answering";
}

export function workingView(kind, openedAt) {
  if (kind === "unseen")
    return el("span", { class: "state state--off" }, icon("unplug"), "No connection. The agent goes on; this page catches up.");
  // On wide screens the message box shows the same: CSS hides these two there.
  if (kind === "asking")
    return el("span", { class: "state state--off turn__working" }, icon("shield"), "Waits for your answer");
  const words = el("span", { text: "Answering" });
  if (openedAt) tick(words, openedAt, (seconds) => `Answering, ${duration(seconds)}`);
  return el("span", { class: "state state--live num turn__working" }, el("span", { class: "ring" }), words);
}
