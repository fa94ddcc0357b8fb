// One line where a turn went on with another model.

import { el, icon } from "../dom.js";
import { fallbackWords } from "./fallback_words.js";

export class RemarkView {
  #text = el("span");
  #shown = "";

  constructor() {
    this.element = el("p", { class: "remark" }, icon("swap"), this.#text);
  }

  update({ changes, isFirst }) {
    const words = fallbackWords({ changes, isFirst });
    const shown = JSON.stringify(words);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#text.replaceChildren(...words.map((word) => (word.name ? el("b", { text: word.name }) : word)));
    // What the endpoint said.
    this.element.title = changes.map((change) => change.message).join("\n");
  }
}
