// A running process or sub-agent: what it is, how long it has run, its output, and a button that stops it.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { copyText } from "../clipboard.js";
import { el, icon } from "../dom.js";
import { openSessionById, sessionPath } from "../router.js";
import { shortId } from "../ids.js";
import { doingWords, usedWords } from "../work_words.js";
import { promiseWords } from "../words.js";
import { LogView } from "./log_view.js";
import { runningState } from "./task_words.js";

export class TaskCard {
  element;
  #task;
  #log = null;
  #progress = el("div");
  #bar = el("span");
  #state = el("span", { class: "task__state" });
  #stop;
  #follow;

  constructor(task) {
    this.#task = task;
    this.#stop = el("button", { class: "button button--quiet button--small", type: "button", onclick: () => this.#end() }, icon("stop"), "Stop");
    const head = el("div", { class: "task__head" }, el("span", { class: "task__id mono", text: shortId(task.id), title: task.id }), this.#state, this.#stop);
    const command = el(task.kind === "delegation" ? "span" : "code", { class: "task__cmd", text: task.command, title: task.command });
    this.element = el("section", { class: "task", "data-task": task.id, "aria-label": `${shortId(task.id)}, running` }, head, command, this.#progress);
    if (task.kind !== "delegation") this.#addLog();
    this.update(task, false);
  }

  // `work` is what a sub-agent does.
  update(task, needsYou, work) {
    this.#task = task;
    this.#state.replaceChildren(needsYou ? el("span", { class: "state state--needs", text: "needs you" }) : runningState(task));
    this.#progress.replaceChildren(...this.#facts(task, work));
  }

  start() {
    this.#log?.start();
  }

  stop() {
    this.#log?.stop();
  }

  #facts(task, work) {
    const notice = promiseWords(task);
    if (task.kind === "delegation") {
      const open = (event) => {
        event.preventDefault();
        openSessionById(task.child_session_id);
      };
      const link = task.child_session_id && el("a", { href: sessionPath(task.child_session_id), onclick: open, text: "Open its session" });
      const doing = el("div", { class: "task__doing mono", text: doingWords(work), title: doingWords(work) });
      const used = el("div", { class: "task__meta" }, el("span", { text: usedWords(work) }));
      return [doing, used, el("div", { class: "task__meta" }, el("span", { text: `sub-agent, ${notice}` }), link)];
    }
    const isKnown = task.progress !== null && task.progress !== undefined;
    const bar = isKnown && el("progress", { class: "progress", max: 100, value: task.progress, "aria-label": `Progress of ${shortId(task.id)}` });
    const words = isKnown ? `${task.progress}%, from its output` : "";
    return [bar, el("div", { class: "task__meta" }, el("span", { text: words || notice }), words ? el("span", { text: notice }) : null)].filter(Boolean);
  }

  #addLog() {
    this.#log = new LogView(this.#task.id, `Output of ${shortId(this.#task.id)}`, () => this.#showSize());
    this.#follow = el("button", { class: "button button--quiet button--small", type: "button", hidden: true, onclick: () => this.#log.follow() }, icon("down"), "Follow");
    const copy = el("button", { class: "button button--quiet button--small", type: "button", onclick: () => copyText(this.#log.element.textContent) }, icon("copy"), "Copy");
    this.element.append(this.#log.element, el("div", { class: "task__bar" }, this.#bar, this.#follow, copy));
  }

  #showSize() {
    const size = this.#log.bytes < 1024 ? `${this.#log.bytes} bytes` : `${(this.#log.bytes / 1024).toFixed(1)} KB`;
    this.#bar.textContent = `${size}, ${this.#log.isFollowing ? "following" : "paused"}`;
    this.#follow.hidden = this.#log.isFollowing;
  }

  async #end() {
    this.#stop.disabled = true;
    this.#state.replaceChildren(el("span", { class: "state state--off" }, icon("stop"), "stopping"));
    try {
      await api.post(`/api/tasks/${encodeURIComponent(this.#task.id)}/kill`, {});
    } catch (error) {
      emit("toast", { kind: "fail", title: `Could not stop ${shortId(this.#task.id)}`, text: error.message });
      this.#stop.disabled = false;
    }
  }
}
