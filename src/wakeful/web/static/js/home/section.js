// A section of the home page: a heading, a count, a note, and a list. It is hidden while it is empty, and entries that
// stay keep their elements.

import { el } from "../dom.js";
import { followLink, openSessionById, sessionPath } from "../router.js";
import { RowView } from "../row_view.js";
import { Keyed } from "../transcript/keyed.js";

export class Section {
  #count = el("span", { class: "num" });
  #note = el("span", { class: "section__note" });
  #entries;
  #make;

  // `make(entry)` returns a view; `list` is the element that holds the views, and `action` goes beside the heading.
  constructor(id, title, { make, list = el("ul", { class: "rows", role: "list" }), action = null }) {
    this.#make = make;
    this.#entries = new Keyed(list);
    const head = el("div", { class: "section__head" }, el("h2", { id, text: title }), this.#count, this.#note, action);
    this.element = el("section", { class: "section", "aria-labelledby": id, hidden: true }, head, list);
  }

  show(entries, { isCounted = false, note = "" } = {}) {
    this.element.hidden = !entries.length;
    this.#count.textContent = isCounted ? entries.length : "";
    this.#note.textContent = note;
    this.#entries.show(entries, this.#make);
  }
}

// A row that links to the session of its entry.
export function sessionLinkRow(make) {
  const link = el("a", { class: "row" });
  const row = new RowView(make, link);
  return {
    element: el("li", {}, link),
    update(entry) {
      link.href = sessionPath(entry.session_id);
      link.onclick = (event) => followLink(event, () => openSessionById(entry.session_id));
      row.update(entry);
    },
  };
}
