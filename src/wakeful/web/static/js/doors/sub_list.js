// A list below a heading inside a section of the settings. It is hidden while it is empty; entries that stay keep their
// elements.

import { emit } from "../bus.js";
import { el } from "../dom.js";
import { RowView } from "../row_view.js";
import { Keyed } from "../transcript/keyed.js";

export class SubList {
  #heading;
  #entries;
  #make;

  // `make(entry)` returns the children of a row; entries have a `key`.
  constructor(id, title, note, make) {
    this.#make = () => new RowView(make, el("li", { class: "row" }));
    this.#heading = el("h3", { id, tabindex: "-1", text: title });
    const list = el("ul", { class: "rows", role: "list", "aria-labelledby": id });
    this.#entries = new Keyed(list);
    const head = el("div", { class: "sub__head" }, this.#heading, note && el("span", { class: "section__note", text: note }));
    this.element = el("div", { class: "sub", hidden: true }, head, list);
  }

  show(entries) {
    this.element.hidden = !entries.length;
    this.#entries.show(entries, this.#make);
  }

  // Null while it is hidden.
  get heading() {
    return this.element.hidden ? null : this.#heading;
  }
}

// A button in a row. Screen readers hear `label` before, and `done` afterwards; then `after()` shows the new state.
export function actButton({ words, label, done, run, kind = "button--quiet button--small" }, after) {
  const act = async () => {
    try {
      await run();
      emit("said", done);
    } catch (error) {
      emit("toast", { kind: "fail", title: "Not done", text: error.message });
    }
    await after();
  };
  return el("button", { class: `button ${kind}`, type: "button", "aria-label": label, onclick: act }, words);
}

// Texts and {code: text} as nodes.
export function nodes(parts) {
  return parts.map((part) => (part.code ? el("code", { text: part.code }) : part));
}
