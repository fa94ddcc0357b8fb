// One of the sessions that changed last, with the first words of its last answer.

import { el, icon } from "../dom.js";
import { shortTime } from "../format.js";
import { quote } from "./quote.js";
import { sessionLinkRow } from "./section.js";

export function recentRow() {
  return sessionLinkRow(parts);
}

export function recentEntries({ recent }) {
  const folders = new Set(recent.map((row) => row.workspace));
  // A folder that all of them share distinguishes nothing.
  return recent.map((row) => ({ ...row, key: row.session_id, folder: folders.size > 1 ? lastPart(row.workspace) : "" }));
}

function parts(row) {
  const needs = row.needs_you ? el("span", { class: "state state--needs", text: "needs you" }) : null;
  const time = el("time", { class: "num", datetime: row.updated_at, text: shortTime(new Date(row.updated_at)) });
  return [
    icon("chat"),
    el("p", { class: "row__title", text: row.title || "New session" }),
    el("p", { class: "row__note" }, note(row)),
    el("span", { class: "row__side" }, needs, time),
  ];
}

function lastPart(path) {
  return path.split("/").filter(Boolean).at(-1) ?? path;
}

function note({ folder, answer }) {
  if (!answer) return [folder];
  return folder ? [`${folder} · `, quote(answer)] : [quote(answer)];
}
