// One session in the list.

import { el, icon } from "../dom.js";
import { shortTime, startOfDay } from "../format.js";
import { sessionPath } from "../router.js";
import { isUnread, markOf } from "./rows.js";

const BRANCH = /^(.+)( \(branch \d+\))$/s;

// The link and the button stay the same elements when their content changes, so a press that began on one ends on it.
export class SessionRow {
  #link = el("a");
  #more = el(
    "button",
    {
      class: "session__more button button--quiet button--icon button--small",
      type: "button",
      "aria-haspopup": "menu",
    },
    icon("dots"),
  );
  #shown = "";

  constructor() {
    this.element = el("li", { class: "session-row" }, this.#link, this.#more);
  }

  update({ row, isOpen }) {
    const isNew = isUnread(row, isOpen ? row.session_id : null);
    const shown = JSON.stringify([row, isOpen, isNew, startOfDay(new Date())]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const name = row.title || "New session";
    this.#link.className = isNew ? "session is-unread" : "session";
    this.#link.href = sessionPath(row.session_id);
    this.#link.dataset.id = row.session_id;
    this.#link.title = row.title;
    if (isOpen) this.#link.setAttribute("aria-current", "page");
    else this.#link.removeAttribute("aria-current");
    this.#link.replaceChildren(
      el("span", { class: "session__title" }, titleParts(name)),
      el("span", { class: "session__side" }, mark(row, isNew), time(row)),
      row.snippet ? snippet(row.snippet) : "",
    );
    if (row.message_id) this.#link.dataset.message = row.message_id;
    else delete this.#link.dataset.message;
    this.#more.dataset.menu = row.session_id;
    this.#more.setAttribute("aria-label", `Menu of ${name}`);
  }
}

// Keeps " (branch 2)" visible when the title is cut.
function titleParts(name) {
  const [, title, branch] = BRANCH.exec(name) ?? [null, name, ""];
  return [el("span", { class: "session__name", text: title }), branch && el("span", { text: branch })];
}

// The text around the hit of a search.
function snippet({ before, hit, after }) {
  return el("span", { class: "session__snippet" }, before, el("mark", { text: hit }), after);
}

function mark(row, isNew) {
  const running = row.running_tasks + (row.active_turn_id ? 1 : 0);
  switch (markOf(row, isNew)) {
    case "needs":
      return el("span", { class: "state state--needs", text: "needs you" });
    case "fail":
      return el("span", { class: "session__mark session__mark--fail", title: "Last turn failed" }, icon("fail"), hidden("unread, failed"));
    case "live":
      return el("span", { class: "session__mark session__mark--live", title: `${running} running` }, el("span", { class: "ring" }), el("span", { class: "num", text: running }), hidden("running"));
    case "unread":
      return el("span", { class: `session__mark session__mark--${row.woken ? "wake" : "read"}`, title: row.woken ? "Woken, not read yet" : "Not read yet" }, el("span", { class: "dot" }), hidden(row.woken ? "unread, woken" : "unread"));
    default:
      return row.pinned ? [icon("pin"), hidden("pinned")] : null;
  }
}

function hidden(text) {
  return el("span", { class: "sr-only", text });
}

function time(row) {
  if (row.needs_you) return null;
  return el("time", { class: "num", datetime: row.updated_at, text: shortTime(new Date(row.updated_at)) });
}
