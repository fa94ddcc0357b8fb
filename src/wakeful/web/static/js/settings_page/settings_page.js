// The settings as one long page, built anew whenever it is opened, so that it shows what holds now.

import { on } from "../bus.js";
import { el } from "../dom.js";
import { me } from "../me.js";
import { isSettings } from "../router.js";
import { aboutSection } from "./about.js";
import { appearanceSection } from "./appearance.js";
import { grantList } from "./grant_list.js";
import { loginList } from "./login_list.js";
import { headingOf } from "./set_section.js";
import { SettingsNav } from "./settings_nav.js";

const SECTIONS = [
  { id: "permissions", name: "Permissions", icon: "shield", make: grantList },
  { id: "logins", name: "Logins", icon: "person", make: loginList },
  { id: "appearance", name: "Appearance", icon: "sun", make: appearanceSection },
  { id: "about", name: "About", icon: "info", make: aboutSection },
];

export function startSettingsPage(element, sidebar) {
  new SettingsPage(element, sidebar);
}

class SettingsPage {
  #element;
  #nav;
  #skip = document.getElementById("skip");
  #isBuilt = false;

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
    this.#skip.href = isShown ? "#settings" : "#message";
    this.#skip.textContent = isShown ? "Skip to the settings" : "Skip to the message box";
    this.#element.closest(".main").classList.toggle("main--settings", isShown);
    this.#nav.toggle(isShown);
    if (!isShown) this.#clear();
    else if (me.name) this.#show();
  }

  #show() {
    if (!this.#isBuilt) this.#build();
    const id = location.hash.slice(1);
    const isKnown = SECTIONS.some((section) => section.id === id);
    this.#nav.point(isKnown ? id : SECTIONS[0].id);
    if (isKnown) goTo(document.getElementById(id));
  }

  #build() {
    this.#isBuilt = true;
    this.#nav.show(SECTIONS);
    this.#element.replaceChildren(el("div", { class: "page__inner" }, SECTIONS.map(({ make }) => make())));
  }

  #clear() {
    this.#isBuilt = false;
    this.#element.replaceChildren();
  }
}

function goTo(section) {
  section.scrollIntoView();
  headingOf(section).focus({ preventScroll: true });
}
