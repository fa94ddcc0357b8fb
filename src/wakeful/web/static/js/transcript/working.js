// What a running turn is doing: answering, summing up, waiting for the reader, or unknown because the connection is down.

import { el, icon } from "../dom.js";
import { duration } from "../format.js";
import { openSession } from "../session/state.js";
import { isSummingUp } from "../session/summaries.js";
import { connectionState } from "../stream/connection.js";
import { tick } from "../ticker.js";

// The view is redrawn only when this changes.
export function workingKind() {
  if (connectionState() !== "live") return "unseen";
  // A question of a sub-agent does not block this turn.
  if (openSession.approvals.some((approval) => !approval.task_id)) return "asking";
  return isSummingUp(openSession) ? "summing" : "answering";
}

export function workingView(kind, openedAt) {
  if (kind === "unseen")
    return el("span", { class: "state state--off" }, icon("unplug"), "No connection. The agent goes on; this page catches up.");
  // On wide screens the message box shows the same: CSS hides these two there.
  if (kind === "asking")
    return el("span", { class: "state state--off turn__working" }, icon("shield"), "Waits for your answer");
  const doing = kind === "summing" ? "Summing up" : "Answering";
  const words = el("span", { text: doing });
  if (openedAt) tick(words, openedAt, (seconds) => `${doing}, ${duration(seconds)}`);
  return el("span", { class: "state state--live num turn__working" }, el("span", { class: "ring" }), words);
}
