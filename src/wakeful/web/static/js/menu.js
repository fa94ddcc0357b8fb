// A menu below a button. The arrow keys move through it; Esc, a choice, Tab, or a click elsewhere closes it.

import { el, icon } from "./dom.js";
import { openPopup, walkWithKeys } from "./popup.js";

// `items`: [{label, icon, note, danger, run}]. Esc and a choice return the focus to the button.
export function openMenu(button, items) {
  const entries = items.map((item) => menuItem(item, () => close()));
  const menu = el("div", { class: "menu menu--floating", role: "menu" }, entries);
  menu.addEventListener("keydown", (event) => {
    walkWithKeys(event, entries);
    if (event.key === "Tab") close(false);
  });
  menu.addEventListener("focusout", ({ relatedTarget: next }) => next && !menu.contains(next) && close(false));
  const close = openPopup(button, menu, { focus: () => entries[0], alignsRight: true });
}

function menuItem({ label, icon: name, note, danger, run }, close) {
  const choose = () => {
    close();
    run();
  };
  return el(
    "button",
    { class: danger ? "menu__item menu__item--danger" : "menu__item", type: "button", role: "menuitem", tabindex: -1, onclick: choose },
    name ? icon(name) : el("span"),
    el("span", { text: label }),
    note ? el("span", { class: "menu__note", text: note }) : null,
  );
}
