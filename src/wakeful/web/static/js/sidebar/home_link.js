// The link to the home page, with the number of sessions that need the reader.

import { el, icon } from "../dom.js";
import { followLink, isHome, openHome } from "../router.js";

export class HomeLink {
  #needs = el("span", { class: "state state--needs", hidden: true });
  #link = el("a", { class: "place", href: "/", onclick: (event) => followLink(event, openHome) }, icon("home"), el("span", { text: "Home" }), this.#needs);

  constructor() {
    this.element = el("div", { class: "places" }, this.#link);
  }

  update(needs) {
    if (isHome()) this.#link.setAttribute("aria-current", "page");
    else this.#link.removeAttribute("aria-current");
    this.#needs.hidden = !needs;
    const words = el("span", { class: "sr-only", text: needs === 1 ? "needs you" : "need you" });
    this.#needs.replaceChildren(el("span", { class: "num", text: needs }), words);
  }
}
