// A turn that only sums up stands between the others as a line, without a rail of its own.

import { el } from "../dom.js";
import { ErrorView } from "./error.js";
import { itemsOf } from "./items.js";
import { Keyed } from "./keyed.js";
import { SummaryView } from "./summary.js";

const VIEWS = { summary: SummaryView, error: ErrorView };

export class SummaryTurn {
  #content = el("div", { class: "summing" });
  #items = new Keyed(this.#content);

  constructor({ turnId }) {
    this.element = el("div", { class: "gap gap--plain", id: turnId, "data-turn": turnId }, el("span"), this.#content);
  }

  update({ messages }) {
    const items = itemsOf(messages).filter(({ kind }) => kind in VIEWS);
    // There is no answer to give again.
    const entries = items.map((item) => ({ ...item, isLast: false, head: "Not summed up." }));
    this.#items.show(entries, ({ kind }) => new VIEWS[kind]());
  }
}
