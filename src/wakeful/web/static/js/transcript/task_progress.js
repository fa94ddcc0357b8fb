// Below a call: the progress of the process that it started, when the output reports any.

import { el } from "../dom.js";
import { shortId } from "../ids.js";

export class TaskProgress {
  #words = el("span");
  #percent = el("span", { class: "num" });
  #bar = el("progress", { class: "progress", max: 100, "aria-label": "Progress" });

  constructor() {
    this.element = el("div", { class: "tool__task", hidden: true }, this.#words, this.#percent, this.#bar);
  }

  update(tasks) {
    const task = tasks.find((one) => one.status === "running" && Number.isFinite(one.progress));
    this.element.hidden = !task;
    if (!task) return;
    this.#words.replaceChildren("In the background as ", el("code", { text: shortId(task.id) }));
    this.#percent.textContent = `${task.progress}%`;
    this.#bar.value = task.progress;
  }
}
