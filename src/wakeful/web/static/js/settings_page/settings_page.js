// The settings as one long page, built anew whenever it is opened, so that it shows what holds now.

import { on } from "../bus.js";
import { doorsSection } from "../doors/doors_section.js";
import { el } from "../dom.js";
import { mcpSection } from "../mcp/mcp_section.js";
import { me } from "../me.js";
import { isSettings } from "../router.js";
import { aboutSection } from "./about.js";
import { appearanceSection } from "./appearance.js";
import { grantList } from "./grant_list.js";
import { loginList } from "./login_list.js";
import { headingOf } from "./set_section.js";
import { SettingsNav } from "./settings_nav.js";
import { skillsSection } from "./skills_section.js";
import { spendingSection } from "./spending_section.js";

const SECTIONS = [
  { id: "permissions", name: "Allowed without asking", icon: "shield", make: grantList },
  { id: "logins", name: "Logins", icon: "person", make: loginList },
  { id: "doors", name: "Doors", icon: "chat", make: doorsSection, isForOperator: true },
  { id: "mcp", name: "MCP servers", icon: "plug", make: mcpSection, isForOperator: true },
  { id: "skills", name: "Skills and instructions", icon: "book", make: skillsSection },
  { id: "spending", name: "Spending", icon: "coin", make: spendingSection },
  { id: "appearance", name: "Appearance", icon: "sun", make: appearanceSection },
  { id: "about", name: "About", icon: "info", make: aboutSection },
];

export function startSettingsPage(element, sidebar) {
  new SettingsPage(element, sidebar);
}

class SettingsPage {
  #element;
  #nav;
  // Those that this reader may see; empty while the page is not shown.
  #sections = [];
  // Ends what the sections do while they are shown.
  #end = new AbortController();

  constructor(element, sidebar) {
    this.#element = element;
    this.#nav = new SettingsNav(sidebar);
    on("route", () => this.#toggle());
    // Which sections there are depends on who reads.
    on("me", () => this.#toggle());
  }

  #toggle() {
    const isShown = isSettings();
    this.#element.hidden = !isShown;
    this.#element.closest(".main").classList.toggle("main--settings", isShown);
    this.#nav.toggle(isShown);
    if (!isShown) this.#clear();
    else if (me.name) this.#show();
  }

  #show() {
    if (!this.#sections.length) this.#build();
    const id = location.hash.slice(1);
    const isKnown = this.#sections.some((section) => section.id === id);
    this.#nav.point(isKnown ? id : this.#sections[0].id);
    if (isKnown) goTo(document.getElementById(id));
  }

  #build() {
    this.#end = new AbortController();
    this.#sections = SECTIONS.filter(({ isForOperator }) => !isForOperator || me.is_operator);
    this.#nav.show(this.#sections);
    const { signal } = this.#end;
    const made = this.#sections.map(({ id, make }) => make({ signal, mark: (state) => this.#nav.mark(id, state) }));
    this.#element.replaceChildren(el("div", { class: "page__inner" }, made));
  }

  #clear() {
    this.#end.abort();
    this.#sections = [];
    this.#element.replaceChildren();
  }
}

// A reader who came here by a link of the page goes on from the heading.
function goTo(section) {
  section.scrollIntoView();
  if (document.activeElement !== document.body) headingOf(section).focus({ preventScroll: true });
}
