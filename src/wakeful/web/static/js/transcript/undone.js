// One line before a message: the files that were put back since the last one, as the agent reads it.

import { el, icon } from "../dom.js";

export class UndoneView {
  #text = el("span");

  constructor() {
    this.element = el("p", { class: "remark" }, icon("undo"), this.#text);
  }

  update({ messages: [message] }) {
    this.#text.textContent = message.content.replace(/^\[|\]$/g, "");
  }
}
