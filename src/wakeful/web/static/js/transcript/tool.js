// One call: a line with what it does and how it went; unfolded, its arguments and its result.

import { el, icon } from "../dom.js";
import { isPlatform } from "../doors/platforms.js";
import { fileElements } from "../files.js";
import { openSession } from "../session/state.js";
import { changeState, deltaView, whyNotUndone } from "./changes.js";
import { delegatesOf } from "../work_words.js";
import { Delegates } from "./delegates.js";
import { failureSentence } from "./failure_words.js";
import { stateChip } from "./state_chip.js";
import { TaskProgress } from "./task_progress.js";
import { toolBody } from "./tool_body.js";
import { callState, readCall } from "./tool_words.js";

export class ToolView {
  #icon = el("span", { class: "tool__icon" });
  #name = el("span", { class: "tool__name" });
  #what = el("span", { class: "tool__what" });
  #state = el("span", { class: "tool__state" });
  // Why it failed, visible without unfolding.
  #why = el("span", { class: "tool__why" });
  #fold;
  #body = null;
  #shown = "";
  #rev = -1;
  #message = null;
  #progress = new TaskProgress();
  // What show_file shows, visible without unfolding.
  #files = el("div", { class: "tool__files", hidden: true });
  #delegates = new Delegates();

  constructor() {
    const summary = el(
      "summary",
      {},
      this.#icon,
      this.#name,
      this.#what,
      this.#state,
      icon("chevron", "fold__chevron"),
      this.#why,
    );
    this.#fold = el("details", { class: "tool fold", ontoggle: () => this.#toggle() }, summary);
    const parts = [this.#progress.element, this.#delegates.element, this.#files];
    this.element = el("div", { class: "tool__row" }, this.#fold, parts);
  }

  update({ message }) {
    this.#message = message;
    const call = readCall(message.tool);
    const tasks = call.taskIds.map((id) => openSession.tasks.get(id)).filter(Boolean);
    const isAsking = openSession.approvals.some((approval) => approval.call_id === message.tool.call_id);
    const turn = openSession.turns.get(message.turn_id);
    const changed = call.error || isAsking ? null : changeState(message.tool);
    const state = changed ?? callState(message, call, tasks, isAsking, turn);
    const isChat = isPlatform(openSession.session?.platform);
    call.error = changed ? whyNotUndone(message.tool)[0] : call.error && failureSentence({ ...call, isChat });
    this.#line(call, state);
    this.#progress.update(tasks);
    this.#delegates.update(delegatesOf(message, call.arguments, [...openSession.tasks.values()]), openSession.works);
    if (message.rev === this.#rev) return;
    this.#rev = message.rev;
    this.element.dataset.message = message.id;
    this.#files.hidden = !message.attachments.length;
    this.#files.replaceChildren(...fileElements(message.attachments, call.caption));
    if (this.#fold.open) this.#fill();
  }

  #line(call, state) {
    const shown = JSON.stringify([call.icon, call.name, call.what, call.error, state]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#icon.replaceChildren(icon(call.icon));
    this.#name.textContent = call.name;
    this.#what.textContent = call.what;
    this.#why.textContent = call.error;
    this.#why.hidden = !call.error;
    this.#fold.classList.toggle("tool--live", state.kind === "live");
    this.#fold.classList.toggle("tool--failed", Boolean(call.error));
    this.#fold.classList.toggle("tool--off", state.kind === "off");
    this.#state.replaceChildren(state.kind === "delta" ? deltaView(state) : stateChip(state));
  }

  #toggle() {
    if (this.#fold.open) return this.#fill();
    this.#body?.remove();
    this.#body = null;
  }

  // The body exists only while it is unfolded: results may be long.
  #fill() {
    const body = toolBody(this.#message);
    const hadFocus = this.#body?.contains(document.activeElement);
    if (this.#body?.isConnected) this.#body.replaceWith(body);
    else this.#fold.append(body);
    this.#body = body;
    if (hadFocus) this.#fold.querySelector("summary").focus();
  }
}
