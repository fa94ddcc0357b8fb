// Between two turns: a new day, how long the session was idle, and how many jobs ran meanwhile.

import { el } from "../dom.js";
import { count, dayName, duration } from "../format.js";
import { openSession } from "../session/state.js";

// Shorter pauses are not shown.
const IDLE_SECONDS = 60;

export class Betweens {
  #shown = null;

  constructor() {
    this.element = el("div");
  }

  update({ between: { before, after, said }, isFirst }) {
    const opened = after?.opened_at ?? said[0]?.created_at;
    const day = opened ? newDay(isFirst ? null : (before?.closed_at ?? before?.opened_at), opened) : "";
    const idle = isFirst ? null : idleWords(before?.closed_at, opened);
    const words = JSON.stringify([day, idle]);
    if (words === this.#shown) return;
    this.#shown = words;
    this.element.replaceChildren(
      ...[!isFirst && gap(idle), day && el("p", { class: "daymark", text: day })].filter(Boolean),
    );
  }
}

function gap(idle) {
  if (!idle) return el("div", { class: "gap gap--plain" }, el("span"), el("p", { class: "gap__text" }));
  const words = idle.running ? `, while ${count(idle.running, "job")} ran` : " later";
  return el("div", { class: "gap" }, el("span"), el("p", { class: "gap__text", text: `${idle.length}${words}` }));
}

function idleWords(closed, opened) {
  const seconds = closed && opened ? (new Date(opened) - new Date(closed)) / 1000 : 0;
  if (seconds < IDLE_SECONDS) return null;
  const ran = [...openSession.tasks.values()].filter(
    (task) => task.started_at < opened && (task.ended_at ?? "9") > closed,
  );
  return { length: duration(seconds), running: ran.length };
}

function newDay(before, after) {
  const date = new Date(after);
  const isSame = before && new Date(before).toDateString() === date.toDateString();
  if (isSame) return "";
  // "Today" is shown only after another day.
  const isToday = date.toDateString() === new Date().toDateString();
  return !before && isToday ? "" : dayName(date);
}
