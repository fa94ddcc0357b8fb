// What would happen: the command with each danger underlined and numbered, or the diff of a changed file. Below it a
// list explains each danger by its number.

import { el, icon } from "../dom.js";
import { diffView } from "../transcript/diff.js";
import { dangersOf } from "./approval_words.js";
import { markedPieces } from "./marks.js";

const WORD_JOINER = "\u2060";

export function subjectView(approval) {
  if (approval.preview) return diffView(approval.preview, approval.command, "approval__cmd");
  return el("pre", { class: "approval__cmd", tabindex: 0, "aria-label": "Command" }, commandParts(approval));
}

export function dangerList(approval) {
  const dangers = dangersOf(approval);
  if (dangers.length === 1)
    return el("ol", { class: "approval__list approval__list--one" }, el("li", {}, icon("warn"), el("span", { text: dangers[0].reason })));
  return el("ol", { class: "approval__list" }, dangers.map((danger) => el("li", { text: danger.reason })));
}

function commandParts(approval) {
  const dangers = dangersOf(approval);
  return markedPieces(approval.command, dangers).flatMap(({ text, isMarked, ends }) => [
    isMarked ? el("span", { class: "approval__danger", text }) : text,
    // Keeps the number on the line of its danger.
    ...(dangers.length > 1 ? ends.flatMap((number) => [WORD_JOINER, el("sup", { class: "approval__no", text: number })]) : []),
  ]);
}
