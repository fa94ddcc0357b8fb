// What a turn that goes on is doing: answering, waiting for a person, or out of sight because the line is cut.

import { el, icon } from "../dom.js";
import { duration } from "../format.js";
import { openSession } from "../session/state.js";
import { connectionState } from "../stream/connection.js";
import { tick } from "../ticker.js";

// A word for it: what is shown changes only when this does.
export function workingKind() {
  if (connectionState() !== "live") return "unseen";
  // A sub-agent's question does not hold this turn up.
  return openSession.approvals.some((approval) => !approval.task_id) ? "asking" : "answering";
}

export function workingView(kind, openedAt) {
  if (kind === "unseen")
    return el("span", { class: "state state--off" }, icon("unplug"), "No connection. The agent goes on; this page catches up.");
  // Where the message box has room, it says the rest already.
  if (kind === "asking")
    return el("span", { class: "state state--off turn__working" }, icon("shield"), "Waits for your answer");
  const words = el("span", { text: "Answering" });
  if (openedAt) tick(words, openedAt, (seconds) => `Answering, ${duration(seconds)}`);
  return el("span", { class: "state state--live num turn__working" }, el("span", { class: "ring" }), words);
}
