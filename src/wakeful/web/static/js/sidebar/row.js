// One session in the list.

import { el, icon } from "../dom.js";
import { clock, startOfDay } from "../format.js";
import { sessionPath } from "../router.js";
import { markOf } from "./rows.js";

const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "short" });
const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });

export function rowElement(row, { isOpen }) {
  const link = el(
    "a",
    {
      class: row.unread ? "session is-unread" : "session",
      href: sessionPath(row.session_id),
      "data-id": row.session_id,
      "aria-current": isOpen ? "page" : null,
      title: row.title,
    },
    el("span", { class: "session__title", text: row.title || "New session" }),
    el("span", { class: "session__side" }, mark(row), time(row)),
  );
  const more = el(
    "button",
    { class: "session__more button button--quiet button--icon button--small", type: "button", "data-menu": row.session_id, "aria-label": `Menu of ${row.title || "New session"}`, "aria-haspopup": "menu" },
    icon("dots"),
  );
  return el("li", { class: "session-row" }, link, more);
}

function mark(row) {
  const running = row.running_tasks + (row.active_turn_id ? 1 : 0);
  switch (markOf(row)) {
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
  const date = new Date(row.updated_at);
  const days = Math.round((startOfDay(new Date()) - startOfDay(date)) / 86_400_000);
  const text = days < 2 ? clock(date) : days < 7 ? WEEKDAY.format(date) : DAY.format(date);
  return el("time", { class: "num", datetime: row.updated_at, text });
}
