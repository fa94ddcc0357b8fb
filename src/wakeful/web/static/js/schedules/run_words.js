// What became of a run, in words. A run has the fields of the API.

import { clock, count, duration } from "../format.js";
import { dayWords, momentWords, shortMoment } from "./times.js";

// Less is no delay that a person would notice.
const LATE_SECONDS = 60;
const REASONS = { missed: "the server was off at that time", still_running: "the last run was still going" };

// [kind of the state, name of its icon]; a run that goes on has a ring instead of an icon.
export function runSign({ status }) {
  return { queued: ["off", "clock"], running: ["live", null], done: ["ok", "ok"], failed: ["fail", "fail"], skipped: ["off", "stop"] }[status];
}

// "Answered, 23 min late"
export function runTitle(run) {
  const words = { queued: "Waits for its turn", running: "Running", done: "Answered", failed: "Failed", skipped: "Left out" }[run.status];
  return isLate(run) ? `${words}, ${lateWords(run)}` : words;
}

// Why, who, and when it was due.
export function runNote(run, now) {
  const due = isLate(run) && `due ${momentWords(new Date(run.fire_at), now)}`;
  return [run.manual && "started by hand", due, reasonWords(run)].filter(Boolean).join("; ");
}

export function runTime(run, now) {
  return shortMoment(new Date(run.started_at ?? run.fire_at), now);
}

// The newest run in a list of schedules: "ran on Friday, 23 min late", "failed at 17:48: the model was out of credit".
export function lastRunWords(run, now) {
  if (run.status === "running") return "runs now";
  if (run.status === "queued") return "waits for its turn";
  const day = dayWords(new Date(run.started_at ?? run.fire_at), now);
  const when = day === "today" ? `at ${clock(new Date(run.started_at ?? run.fire_at))}` : day;
  const words = { done: "ran", failed: "failed", skipped: "left out" }[run.status];
  const reason = reasonWords(run);
  return `${words} ${when}${isLate(run) ? `, ${lateWords(run)}` : ""}${reason ? `: ${reason}` : ""}`;
}

// Runs that one outage has left out are one entry: {key, run} or {key, missed: number, from, to}.
export function runEntries(runs) {
  const entries = [];
  for (const run of runs) {
    const last = entries.at(-1);
    const isMissed = run.status === "skipped" && run.reason === "missed";
    if (isMissed && last?.missed) Object.assign(last, { missed: last.missed + 1, from: run.fire_at });
    else if (isMissed) entries.push({ key: `missed ${run.fire_at}`, missed: 1, from: run.fire_at, to: run.fire_at });
    else entries.push({ key: `${run.fire_at} ${run.manual}`, run });
  }
  return entries;
}

// {title, note, time} of an entry of runs that were left out.
export function missedWords({ missed, from, to }, now) {
  const [first, last] = [shortMoment(new Date(from), now), shortMoment(new Date(to), now)];
  const title = missed === 1 ? "Left out" : `${count(missed, "run")} left out`;
  return { title, note: missed === 1 ? REASONS.missed : "the server was off at these times", time: missed === 1 ? first : `${first} to ${last}` };
}

function isLate({ late_seconds: late, manual }) {
  return !manual && late >= LATE_SECONDS;
}

function lateWords({ late_seconds: late }) {
  return `${duration(late)} late`;
}

function reasonWords({ reason }) {
  return REASONS[reason] ?? reason ?? "";
}
