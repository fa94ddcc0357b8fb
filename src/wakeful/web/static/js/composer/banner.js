// One banner above the message box.

import { el, icon } from "../dom.js";

export function banner(kind, name, words, action) {
  return el("div", { class: `banner ${kind}`.trim() }, icon(name), el("span", { class: "banner__text" }, words), action);
}
