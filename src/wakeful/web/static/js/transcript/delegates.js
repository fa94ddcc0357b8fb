// Below a call: a line for each running sub-agent with what it does, which opens its session.

import { el } from "../dom.js";
import { openSessionById, sessionPath } from "../router.js";
import { doingWords, usedWords } from "../work_words.js";

export class Delegates {
  // Lines by task id: they are reused, so that a focused one stays focused.
  #lines = new Map();

  constructor() {
    this.element = el("div", { class: "tool__delegates", hidden: true });
  }

  update(tasks, works) {
    this.element.hidden = !tasks.length;
    const lines = new Map(tasks.map((task) => [task.id, this.#lines.get(task.id) ?? new DelegateLine(task)]));
    for (const [id, line] of lines) line.update(works[id]);
    const isSame = lines.size === this.#lines.size && [...lines.keys()].every((id) => this.#lines.has(id));
    this.#lines = lines;
    if (!isSame) this.element.replaceChildren(...[...lines.values()].map((line) => line.element));
  }
}

class DelegateLine {
  #doing = el("span", { class: "delegate__doing mono" });
  #used = el("span", { class: "delegate__used num" });

  constructor(task) {
    const open = (event) => {
      event.preventDefault();
      openSessionById(task.child_session_id);
    };
    const goal = el("span", { class: "delegate__goal", text: task.command.split("\n", 1)[0] });
    this.element = el(
      "a",
      { class: "delegate", href: sessionPath(task.child_session_id), onclick: open, title: "Open its session", "data-delegate": task.id },
      el("span", { class: "ring" }),
      goal,
      this.#used,
      this.#doing,
    );
  }

  update(work) {
    this.#doing.textContent = doingWords(work);
    this.#used.textContent = usedWords(work);
  }
}
