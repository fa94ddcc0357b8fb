// The rows in groups by day. Rows that stay keep their elements, and so the focus, a pressed button and an open menu.

import { el } from "../dom.js";
import { Keyed } from "../transcript/keyed.js";
import { SessionRow } from "./session_row.js";

export class ListView {
  #element;
  #parts;

  constructor(element) {
    this.#element = element;
    this.#parts = new Keyed(element);
  }

  // `makeEmpty()` returns the element to show when there are no rows.
  show(groups, openId, makeEmpty) {
    const focused = this.#element.contains(document.activeElement) ? document.activeElement : null;
    const wanted = groups.map((group) => ({ key: group.name, group, openId }));
    this.#parts.show(wanted.length ? wanted : [{ key: `empty ${Date.now()}`, makeEmpty }], makePart);
    // Elements lose the focus when they are moved.
    if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
  }
}

function makePart({ makeEmpty }) {
  return makeEmpty ? { element: makeEmpty(), update() {} } : new GroupView();
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
    this.#rows.show(wanted, () => new SessionRow());
  }
}
