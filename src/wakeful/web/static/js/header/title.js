// The title: the page's only h1, edited in place.

import { on } from "../bus.js";
import { el } from "../dom.js";
import { viewName } from "../router.js";
import { openSession } from "../session/state.js";
import { rename } from "../sidebar/actions.js";
import { titleInput } from "../sidebar/renaming.js";

export class TitleView {
  #heading = el("h1", { class: "header__title" });

  constructor() {
    this.element = el("div", { class: "header__name" }, this.#heading);
    this.#heading.addEventListener("dblclick", () => this.edit());
    // The stream has a new title before the next snapshot.
    on("row", (row) => {
      if (row.session_id !== openSession.id || !openSession.session) return;
      Object.assign(openSession.session, { title: row.title, pinned: row.pinned, archived: row.archived });
      this.update();
    });
  }

  update() {
    const { id, session } = openSession;
    const words = session?.title || (id && !session ? "" : viewName());
    if (this.#heading.textContent !== words) this.#heading.textContent = words;
    this.#heading.title = session ? "Double-click to rename" : "";
  }

  edit() {
    const { session } = openSession;
    if (!session || this.element.querySelector("input")) return;
    const input = titleInput(session, "input header__edit", (title) => {
      input.remove();
      this.#heading.hidden = false;
      if (!title) return;
      session.title = title;
      this.update();
      rename(session, title);
    });
    this.#heading.hidden = true;
    this.element.append(input);
    input.focus();
    input.select();
  }
}
