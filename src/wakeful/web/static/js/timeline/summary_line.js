// On low screens the timeline is one line until the reader opens the drawing.

import { el } from "../dom.js";

export class SummaryLine {
  #words = el("span", { class: "timeline__words" });
  #action = el("span", { text: "Show timeline" });
  #shown = "";

  // `timeline` is the element of the whole strip.
  constructor(timeline) {
    this.element = el(
      "button",
      { class: "timeline__line", type: "button", "aria-expanded": "false", "aria-controls": "timeline-drawing", onclick: () => this.#toggle(timeline) },
      this.#words,
      this.#action,
    );
  }

  update(parts) {
    const shown = parts.join(" ");
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#words.replaceChildren(...parts.map((text) => el("span", { text })));
  }

  #toggle(timeline) {
    const isOpen = timeline.classList.toggle("is-open");
    this.element.setAttribute("aria-expanded", String(isOpen));
    this.#action.textContent = isOpen ? "Hide timeline" : "Show timeline";
  }
}
