// The rows on the screen, in groups by day. Whatever stays keeps its element, and so the focus, a press and an open
// menu.

import { el } from "../dom.js";
import { Keyed } from "../transcript/keyed.js";
import { RowView } from "./row.js";

export class ListView {
  #element;
  #parts;

  constructor(element) {
    this.#element = element;
    this.#parts = new Keyed(element);
  }

  // `nothing()` makes what is shown in the place of rows.
  show(groups, openId, nothing) {
    const focused = this.#element.contains(document.activeElement) ? document.activeElement : null;
    const wanted = groups.map((group) => ({ key: group.name, group, openId }));
    this.#parts.show(wanted.length ? wanted : [{ key: `nothing ${Date.now()}`, nothing }], makePart);
    // What is moved to another place loses the focus.
    if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
  }
}

function makePart({ nothing }) {
  return nothing ? { element: nothing(), update() {} } : new GroupView();
}

class GroupView {
  #heading = el("h2");
  #list = el("ul", { role: "list" });
  #rows = new Keyed(this.#list);

  constructor() {
    this.element = el("div", {}, this.#heading, this.#list);
  }

  update({ group: { name, rows }, openId }) {
    if (this.#heading.textContent !== name) this.#heading.textContent = name;
    const wanted = rows.map((row) => ({ key: row.session_id, row, isOpen: row.session_id === openId }));
    this.#rows.show(wanted, () => new RowView());
  }
}
