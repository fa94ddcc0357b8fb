// The list of the sections of the settings, in the place of the list of sessions.

import { el, icon } from "../dom.js";
import { followLink, openHome, openSettings, SETTINGS } from "../router.js";

export class SettingsNav {
  #sidebar;
  #links = el("div");
  #marks = new Map();

  constructor(sidebar) {
    this.#sidebar = sidebar;
    const back = el("a", { class: "place", href: "/", onclick: (event) => followLink(event, openHome) }, icon("left"), "Back to sessions");
    sidebar.querySelector(".sidebar__foot").before(el("div", { class: "setnav" }, back, el("p", { text: "Settings" }), this.#links));
  }

  toggle(isShown) {
    this.#sidebar.classList.toggle("is-settings", isShown);
    this.#sidebar.setAttribute("aria-label", isShown ? "Settings" : "Sessions");
  }

  // `sections`: [{id, name, icon}]
  show(sections) {
    this.#marks = new Map(sections.map(({ id }) => [id, el("span")]));
    this.#links.replaceChildren(...sections.map((section) => this.#link(section)));
  }

  // The section that the reader went to last.
  point(id) {
    for (const link of this.#links.children) {
      if (link.hash === `#${id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  // What waits for an answer in a section, or that something failed there.
  mark(id, { needs, hasFailed }) {
    const sign = needs ? needsSign(needs) : hasFailed ? failSign() : null;
    this.#marks.get(id)?.replaceChildren(...[sign].filter(Boolean));
  }

  #link({ id, name, icon: sign }) {
    const go = (event) => followLink(event, () => openSettings(id));
    return el("a", { class: "place", href: `${SETTINGS}#${id}`, onclick: go }, icon(sign), el("span", { text: name }), this.#marks.get(id));
  }
}

function needsSign(needs) {
  const words = el("span", { class: "sr-only", text: needs === 1 ? "needs you" : "need you" });
  return el("span", { class: "state state--needs" }, el("span", { class: "num", text: needs }), words);
}

function failSign() {
  return el("span", { class: "session__mark session__mark--fail" }, icon("fail"), el("span", { class: "sr-only", text: "something failed" }));
}
