// A schedule in the list: its name, when it runs next, when it runs at all, and how its last run went.

import { el, icon } from "../dom.js";
import { followLink, openSchedules, schedulePath } from "../router.js";
import { RowView } from "../row_view.js";
import { serverNow } from "../server_clock.js";
import { tick } from "../ticker.js";
import { targetWords } from "./choices.js";
import { jobTitle } from "./job_values.js";
import { lastRunWords, runSign } from "./run_words.js";
import { scheduleWords } from "./schedule_words.js";
import { soonWords } from "./times.js";

export function jobRow() {
  const link = el("a", { class: "plan-row" });
  const row = new RowView(parts, link);
  return {
    element: el("li", {}, link),
    update({ isShown, ...entry }) {
      const { job } = entry;
      link.href = schedulePath(job.id);
      link.onclick = (event) => followLink(event, () => openSchedules(job.id));
      link.classList.toggle("is-paused", job.status === "paused");
      if (isShown) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      row.update(entry);
    },
  };
}

// Those that run come first, the next one on top; then those that are paused; then those that are over.
export function jobOrder(one, other) {
  const place = ({ status }) => ["active", "paused", "done"].indexOf(status);
  return place(one) - place(other) || (one.next_at ?? "").localeCompare(other.next_at ?? "") || jobTitle(one).localeCompare(jobTitle(other));
}

function parts({ job, chats }) {
  const now = new Date(serverNow());
  const words = scheduleWords(job.schedule, job.timezone, now, job.next_at ?? job.last_at);
  const line = [job.last_run && lastRun(job.last_run, now), job.deliver && el("span", { text: `to ${targetWords(job.deliver, chats)}` })];
  return [
    el("span", { class: "plan-row__name", text: jobTitle(job) }),
    next(job),
    el("span", { class: "plan-row__when" }, words && `${words} `, el("code", { class: "dim", text: job.schedule })),
    line.some(Boolean) && el("span", { class: "plan-row__line" }, line),
  ];
}

function next({ status, next_at: at }) {
  const element = el("span", { class: "plan-row__next num", text: status });
  if (at) tick(element, at, () => soonWords(new Date(at), new Date(serverNow())));
  return element;
}

function lastRun(run, now) {
  const [kind, name] = runSign(run);
  return el("span", { class: `state state--${kind} num` }, name ? icon(name) : el("span", { class: "ring" }), el("span", { text: lastRunWords(run, now) }));
}
