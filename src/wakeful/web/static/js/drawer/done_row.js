// A finished job: how it ended and which turn it woke. Unfolded, its output.

import { emit } from "../bus.js";
import { el, icon } from "../dom.js";
import { clock } from "../format.js";
import { openSessionById } from "../router.js";
import { openSession } from "../session/state.js";
import { shortId } from "../ids.js";
import { LogView } from "./log_view.js";
import { endedIcon, endedWords } from "./task_words.js";

export class DoneRow {
  element;
  #log = null;

  constructor(task) {
    const summary = el(
      "summary",
      { class: "done" },
      endedIcon(task),
      el("span", { class: task.kind === "delegation" ? "done__cmd" : "done__cmd mono", text: task.command, title: task.command }),
      el("span", { class: "num dim", text: clock(new Date(task.ended_at)) }),
      el("span", { class: "done__line" }, el("span", { text: `${shortId(task.id)}, ${endedWords(task)}` }), woke(task)),
    );
    this.element = el("details", { class: "done-fold", "data-task": task.id, ontoggle: () => this.#toggle(task) }, summary);
  }

  stop() {
    this.#log?.stop();
  }

  #toggle(task) {
    if (!this.element.open) {
      this.stop();
      return;
    }
    if (!this.#log) {
      this.#log = new LogView(task.id, `Output of ${shortId(task.id)}`);
      this.element.append(el("div", { class: "done__body" }, task.kind === "delegation" ? null : this.#log.element, links(task)));
    }
    if (task.kind !== "delegation") this.#log.start();
  }
}

function woke(task) {
  const words = wokeWords(task);
  if (!task.woke_turn_id && !task.will_notify) return el("span", { text: words });
  return el("span", { class: "woke" }, icon(task.woke_turn_id ? "wake" : "clock"), words);
}

// "woke turn 3", "reported in turn 3", "reports after turn 3", "a line woke turn 3", "told nobody", or nothing
export function wokeWords(task) {
  if (task.woke_turn_id) return `${joined(task) ? "reported in" : "woke"} ${turnName(task.woke_turn_id, "a turn")}`;
  if (!task.will_notify) return matchWords(task) ?? (hasAnswered(task) ? "" : "told nobody");
  // The agent has not read of the end yet; it will after the running turn.
  const { activeTurn } = openSession;
  return activeTurn ? `reports after ${turnName(activeTurn.turn_id, "this turn")}` : "reports next";
}

// A sub-agent that the agent waited for has reported with the result of the call.
function hasAnswered({ kind, status }) {
  return kind === "delegation" && status === "exited";
}

// The end of this job wakes nothing, but a line that it printed did.
function matchWords({ id }) {
  const match = openSession.messages.findLast(({ notice }) => notice?.task_id === id && notice.kind === "watch");
  if (!match) return null;
  return `a line ${match.notice.delivered === "opened" ? "woke" : "came in"} ${turnName(match.turn_id, "a turn")}`;
}

// Whether the agent read of the end in a turn that something else had opened.
function joined(task) {
  const message = openSession.messages.find(({ notice }) => notice?.task_id === task.id && notice.kind !== "watch");
  return message !== undefined && message.notice.delivered !== "opened";
}

function links(task) {
  const reveal = (turn) => emit("reveal", { turn, task: task.id });
  const button = (text, onclick) => el("button", { class: "button button--quiet button--small", type: "button", text, onclick });
  return el(
    "div",
    { class: "done__acts" },
    task.child_session_id && button("Open its session", () => openSessionById(task.child_session_id)),
    task.turn_id && button(`Show ${turnName(task.turn_id, "the turn that started it")}`, () => reveal(task.turn_id)),
    task.woke_turn_id && button(`Show ${turnName(task.woke_turn_id, "the turn that it woke")}`, () => reveal(task.woke_turn_id)),
  );
}

function turnName(turnId, otherwise) {
  const number = openSession.turns.get(turnId)?.number;
  return number ? `turn ${number}` : otherwise;
}
