// A menu below a button. The arrow keys move through it; Esc, a choice, or a click elsewhere closes it.

import { el, icon } from "./dom.js";

// `items`: [{label, icon, note, danger, run}]. Esc and a choice return the focus to the button.
export function openMenu(button, items) {
  const entries = items.map((item) => menuItem(item, () => close(true)));
  const menu = el("div", { class: "menu menu--floating", role: "menu" }, entries);
  const close = (returnsFocus) => {
    if (!menu.isConnected) return;
    stop.abort();
    menu.remove();
    button.setAttribute("aria-expanded", "false");
    if (returnsFocus) button.focus();
  };
  const stop = new AbortController();
  menu.addEventListener("keydown", (event) => walk(event, entries, close));
  addEventListener("pointerdown", (event) => !menu.contains(event.target) && close(false), { capture: true, signal: stop.signal });
  addEventListener("resize", () => close(false), { signal: stop.signal });
  menu.addEventListener("focusout", (event) => event.relatedTarget && !menu.contains(event.relatedTarget) && close(false));
  document.body.append(menu);
  position(menu, button);
  button.setAttribute("aria-expanded", "true");
  entries[0].focus();
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

function walk(event, entries, close) {
  const at = entries.indexOf(document.activeElement);
  const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 };
  if (event.key in steps) {
    event.preventDefault();
    entries.at(steps[event.key] % entries.length).focus();
  } else if (event.key === "Escape" || event.key === "Tab") {
    event.stopPropagation();
    if (event.key === "Escape") event.preventDefault();
    close(event.key === "Escape");
  }
}

// Below the button if there is room, else above it, and always inside the window.
function position(menu, button) {
  const at = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const top = at.bottom + height + 8 > innerHeight ? Math.max(8, at.top - height - 4) : at.bottom + 4;
  const left = Math.min(Math.max(8, at.right - width), innerWidth - width - 8);
  menu.style.top = `${top}px`;
  menu.style.left = `${left}px`;
}
