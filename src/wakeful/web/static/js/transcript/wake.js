// A wake-up as a card, unlike anything that a person typed: for one notice, or for several that arrived together.

import { el, icon } from "../dom.js";
import { openSession } from "../session/state.js";
import { sessionPath } from "../router.js";
import { stateChip } from "./state_chip.js";
import { noticeIcon } from "./turn_words.js";
import { wakeFold } from "./wake_fold.js";
import { groupTitle, wakeHow, wakeState, wakeTitle, wakeWhen } from "./wake_words.js";

export class WakeView {
  #shown = "";

  constructor() {
    this.element = el("section", { class: "wake" });
  }

  update({ messages }) {
    const how = wakeHow(messages, openSession.turns);
    const states = messages.map((message) => stateOf(message));
    const shown = JSON.stringify([how, states, messages.map(({ id, notice }) => [id, notice, childOf(notice)])]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const [first] = messages;
    this.element.dataset.message = first.id;
    this.element.id = `wake-${first.notice.task_id}`;
    this.element.classList.toggle("wake--lost", messages.length === 1 && first.notice.status === "lost");
    this.element.setAttribute("aria-label", `Wake-up: ${messages.length > 1 ? groupTitle(messages) : label(first)}`);
    this.#fill(messages, how);
  }

  // Unfolded parts stay unfolded.
  #fill(messages, how) {
    const open = [...this.element.querySelectorAll("details")].map((fold) => fold.open);
    const isOwnTurn = messages[0].notice.delivered === "opened";
    const node = isOwnTurn ? null : el("span", { class: "wake__node" }, icon(noticeIcon(messages[0])));
    const inside = messages.length > 1 ? several(messages, how) : single(messages[0], how);
    this.element.replaceChildren(...[node, ...inside].filter(Boolean));
    this.element.querySelectorAll("details").forEach((fold, index) => (fold.open = open[index] ?? false));
  }
}

function stateOf(message, isShort = false) {
  return wakeState(message, openSession.tasks.get(message.notice.task_id), isShort);
}

function label(message) {
  const { command, words } = wakeTitle(message);
  return [`${command} ${words}`.trim(), stateOf(message)?.words].filter(Boolean).join(", ");
}

function single(message, how) {
  const { command, words } = wakeTitle(message);
  const state = stateOf(message);
  const head = el(
    "div",
    { class: "wake__head" },
    el("h3", { class: "wake__title" }, command && el("span", { class: "mono", text: command }), command ? ` ${words}` : words),
    state && stateChip(state),
    wakeWhen(message) && el("span", { class: "wake__when", text: wakeWhen(message) }),
    el("span", { class: "wake__how", text: how }),
  );
  const lost =
    message.notice.status === "lost" &&
    el("p", { class: "wake__what", text: "Its machine died or was restarted. The output up to then is kept." });
  return [head, what(message, command), lost, wakeFold(message)];
}

// The part of the command or task that does not fit the title.
function what({ source, notice }, command) {
  if (source !== "delegation_wakeup")
    return command === notice.command ? null : el("p", { class: "wake__what wake__command" }, el("code", { text: notice.command }));
  const child = childOf(notice);
  const link = child && el("a", { href: sessionPath(child), "data-session": child, text: "Open its session" });
  return el("p", { class: "wake__what" }, notice.command.split("\n")[0], link ? " " : null, link);
}

function childOf(notice) {
  return openSession.tasks.get(notice.task_id)?.child_session_id;
}

function several(messages, how) {
  const head = el(
    "div",
    { class: "wake__head" },
    el("h3", { class: "wake__title", text: groupTitle(messages) }),
    el("span", { class: "wake__how", text: how }),
  );
  const rows = messages.map((message) => wakeFold(message, rowTitle(message), rowState(message)));
  return [head, ...rows];
}

function rowTitle(message) {
  const { command, words } = wakeTitle(message);
  return message.source === "watch_match" ? `${command} ${words}` : message.notice.command.split("\n")[0];
}

function rowState(message) {
  const state = stateOf(message, true);
  if (!state) return el("span");
  return stateChip(message.source === "delegation_wakeup" ? { ...state, words: `sub-agent ${state.words}` } : state);
}
