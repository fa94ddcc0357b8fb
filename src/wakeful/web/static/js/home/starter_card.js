// One thing to try. The card follows its session and offers to run it again when it is done.

import { emit } from "../bus.js";
import { el, icon } from "../dom.js";
import { followLink, openSessionById, sessionPath } from "../router.js";
import { start, startedBy } from "./starters.js";

export class StarterCard {
  #starter;
  #foot = el("div", { class: "demo__foot" });
  #shown = "";
  #isStarting = false;
  #onStart;

  constructor(starter, onStart) {
    this.#starter = starter;
    this.#onStart = onStart;
    const head = el("h3", {}, icon(starter.icon), starter.title);
    this.element = el("section", { class: "demo", tabindex: -1, "aria-label": starter.title }, head, el("p", { text: starter.about }), this.#foot);
  }

  // `rows` are those of the most recent sessions.
  update(rows) {
    const id = this.#isStarting ? null : startedBy(this.#starter.name);
    const row = id && rows.find((one) => one.session_id === id);
    const state = stateOf(id, row, this.#isStarting);
    this.element.classList.toggle("demo--live", state === "live" || state === "needs");
    const shown = `${id} ${state}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#draw(id, state);
  }

  #draw(id, state) {
    const hadFocus = this.element.contains(document.activeElement);
    const line = state === "new" ? null : el("div", { class: "demo__line" }, words(state, this.#starter), id && link(id));
    const isOver = state === "done" || state === "failed";
    const button = state === "new" || isOver ? this.#button(isOver) : null;
    this.#foot.replaceChildren(...[line, button].filter(Boolean));
    // Without a button or link the card itself takes the focus.
    if (hadFocus) (this.#foot.querySelector("button, a") ?? this.element).focus({ preventScroll: true });
  }

  #button(isAgain) {
    const sign = icon(isAgain ? "again" : "play");
    return el("button", { class: "button", type: "button", onclick: () => this.#start() }, sign, isAgain ? "Run again" : this.#starter.start);
  }

  async #start() {
    this.#isStarting = true;
    this.update([]);
    try {
      await start(this.#starter);
    } catch (error) {
      emit("toast", { kind: "fail", title: "Not started", text: error.message });
    }
    this.#isStarting = false;
    this.#onStart();
  }
}

// A session that was deleted, never got its message, or is no longer among the most recent counts as none.
function stateOf(id, row, isStarting) {
  if (isStarting) return "live";
  if (!id || !row) return "new";
  if (row.needs_you) return "needs";
  if (row.active_turn_id || row.running_tasks) return "live";
  if (!row.message_count) return "new";
  return row.last_status === "failed" ? "failed" : "done";
}

function words(state, { done }) {
  if (state === "needs") return el("span", { class: "state state--needs", text: "needs you" });
  if (state === "live") return el("span", { class: "state state--live" }, el("span", { class: "ring" }), "running");
  if (state === "failed") return el("span", { class: "state state--fail" }, icon("fail"), "its turn failed");
  return el("span", { class: "state state--ok" }, icon("ok"), done);
}

function link(id) {
  const open = (event) => followLink(event, () => openSessionById(id));
  return el("a", { href: sessionPath(id), onclick: open, text: "Open the session" });
}
