// Things to try, shown on the home page until the reader has started a session.

import { el } from "../dom.js";
import { mark } from "../sidebar/wordmark.js";
import { StarterCard } from "./starter_card.js";
import { isStarted, STARTERS } from "./starters.js";

export class FirstRun {
  #cards;

  constructor(onStart) {
    this.#cards = STARTERS.map((starter) => new StarterCard(starter, onStart));
    const words = "Four things to try. They run for real, on a small scripted model that is built in, needs no key and sends nothing anywhere.";
    const head = el("div", { class: "calm" }, mark(), el("h2", { text: "See it wake" }), el("p", { text: words }));
    const cards = el("div", { class: "demos" }, this.#cards.map((card) => card.element));
    this.element = el("section", { class: "first-run", "aria-label": "Things to try", hidden: true }, head, cards);
  }

  show({ recent, isKnown }) {
    this.element.hidden = !isKnown || recent.some((row) => !isStarted(row.session_id));
    if (!this.element.hidden) for (const card of this.#cards) card.update(recent);
    return !this.element.hidden;
  }
}
