// The first words of an answer in one line, without Markdown signs.

import { el } from "../dom.js";

export function quote(answer) {
  return el("span", { class: "quote", text: plainWords(answer) });
}

export function plainWords(text) {
  return text
    .replaceAll(/`+|\*\*/g, "")
    .replaceAll(/(^|\s)(?:>\s?|#{1,6}\s)+/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}
