// The help about the keyboard, made from the table that drives the shortcuts.

import { el } from "../dom.js";
import { KEYS } from "../keys.js";
import { openDialog } from "./dialog.js";

export function openHelp() {
  const parts = KEYS.flatMap(({ name, keys }) => [el("h3", { text: name }), el("dl", {}, keys.map(line))]);
  openDialog("Keyboard", el("div", { class: "keys" }, parts));
}

function line({ does, show }) {
  return el("div", {}, el("dt", { text: does }), el("dd", {}, show.map((key) => el("span", { class: "kbd", text: key }))));
}
