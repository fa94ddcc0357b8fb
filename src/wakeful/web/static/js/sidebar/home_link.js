// The links to the home page, with the number of sessions that need the reader, and to the schedules.

import { el, icon } from "../dom.js";
import { followLink, isHome, isSchedules, openHome, openSchedules, schedulePath } from "../router.js";

export class HomeLink {
  #needs = el("span", { class: "state state--needs", hidden: true });
  #link = el("a", { class: "place", href: "/", onclick: (event) => followLink(event, openHome) }, icon("home"), el("span", { text: "Home" }), this.#needs);

  #schedules = el("a", { class: "place", href: schedulePath(), onclick: (event) => followLink(event, () => openSchedules()) }, icon("calendar"), el("span", { text: "Schedules" }));

  constructor() {
    this.element = el("div", { class: "places" }, this.#link, this.#schedules);
  }

  update(needs) {
    mark(this.#link, isHome());
    mark(this.#schedules, isSchedules());
    this.#needs.hidden = !needs;
    const words = el("span", { class: "sr-only", text: needs === 1 ? "needs you" : "need you" });
    this.#needs.replaceChildren(el("span", { class: "num", text: needs }), words);
  }
}

function mark(link, isHere) {
  if (isHere) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}
