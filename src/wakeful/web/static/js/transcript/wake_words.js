// A notice in words: what ended and how, or what was printed; after how long; and how the agent was told.

import { count, duration, exactDuration } from "../format.js";
import { codeWords, endLine, endedWell, outcomeWords } from "../words.js";

// Shorter waits than this are none.
const AT_ONCE_MS = 1_000;
const LONGEST_TITLE = 80;

// {command, words}: "`pytest -q` failed", "`uvicorn` printed “ERROR”", "Sub-agent reported".
export function wakeTitle({ source, notice }) {
  if (source === "delegation_wakeup") return { command: "", words: `Sub-agent ${outcomeWords(job(notice, source))}` };
  const words = source === "watch_match" ? printed(notice) : outcomeWords(notice);
  return { command: shortCommand(notice.command), words };
}

// The first line of a command, as far as a title has room for it.
export function shortCommand(command) {
  const [line] = command.split("\n", 1);
  const isWhole = line === command && line.length <= LONGEST_TITLE;
  return isWhole ? line : `${line.slice(0, LONGEST_TITLE - 1).trimEnd()}…`;
}

// Of several that came together.
export function groupTitle(messages) {
  const sources = new Set(messages.map((message) => message.source));
  if (sources.size === 1 && sources.has("watch_match")) return `${count(messages.length, "watched line")} came`;
  const jobs = new Set(messages.map((message) => message.notice.task_id)).size;
  const noun = sources.size === 1 && sources.has("delegation_wakeup") ? "sub-agent" : "job";
  return `${count(jobs, noun)} reported`;
}

// `task` is the job as it is now, if that is known: a match says nothing of the end.
export function wakeState({ source, notice }, task, isShort = false) {
  if (source === "watch_match") return afterMatch(task);
  if (notice.status === "lost") return { kind: "off", icon: "lost", words: "no exit code" };
  if (notice.status === "killed") return { kind: "off", icon: "stop", words: "stopped" };
  const isWell = endedWell(notice);
  const kind = isWell ? "ok" : "fail";
  if (source === "delegation_wakeup") return { kind, words: isWell ? "done" : "failed" };
  const words = isShort && isWell ? outcomeWords(notice) : codeWords(notice);
  return { kind, words: words || outcomeWords(notice) };
}

export function wakeWhen({ source, notice }) {
  return source === "watch_match" || !notice.seconds ? "" : `after ${duration(notice.seconds)}`;
}

// How the agent was told. `turns` tells what it waited for.
export function wakeHow(messages, turns) {
  const [first] = messages;
  const { delivered } = first.notice;
  if (delivered === "with_message") return "reported with your message";
  if (delivered === "joined") return `reported at step ${stepOf(first) + 1}`;
  const waited = Math.max(...messages.map(({ notice }) => notice.latency_ms ?? 0));
  if (waited < AT_ONCE_MS) return "woke the agent at once";
  const busy = busyTurn(first, waited, turns);
  return `waited ${exactDuration(waited / 1000)}${busy ? ` for turn ${busy.number}` : ""}`;
}

// The output that the agent was shown. Older notices have it only in the text that the agent read.
export function wakeOutput({ content, notice }) {
  if (typeof notice.output === "string") return notice.output;
  const at = /\n(?:Output|Matched output|Result):\n/.exec(content ?? "");
  return at ? content.slice(at.index + at[0].length).replace(/\](?:\n\[Between [^\n]*\])?$/, "") : "";
}

// The last line says most.
export function lastLine(output) {
  // What a terminal would not show is not in the preview either.
  const plain = output.replace(/\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g, "");
  return plain
    .trimEnd()
    .split(/[\r\n]/)
    .at(-1)
    .trim();
}

export function outputSize(message, output) {
  if (message.source === "watch_match") return count(output.trimEnd().split("\n").length, "line");
  const size = count(output.length, "character");
  if (message.source === "delegation_wakeup") return `report, ${size}`;
  return message.notice.cut ? `last ${size}` : size;
}

function printed({ pattern }) {
  return pattern ? `printed “${pattern}”` : "printed a watched line";
}

function afterMatch(task) {
  if (!task) return null;
  return task.status === "running" ? { kind: "live", words: "still running" } : { kind: "off", words: `since then: ${endLine(task)}` };
}

// Notices of old do not tell their kind.
function job(notice, source) {
  return { ...notice, source };
}

// The step before which it joined; it was read at the next one.
function stepOf({ id }) {
  return Number(id.split(".")[1]);
}

// The turn that ran when the notice was posted, if that is why it waited.
function busyTurn({ turn_id: turnId }, waited, turns) {
  const turn = turns.get(turnId);
  if (!turn?.opened_at) return null;
  const before = [...turns.values()].find((one) => one.number === turn.number - 1);
  if (!before?.closed_at) return null;
  const posted = Date.parse(turn.opened_at) - waited;
  return Date.parse(before.closed_at) > posted ? before : null;
}
