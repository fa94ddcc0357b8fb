// A notice in words: what ended and how, or what was printed; after how long; and how it reached the agent.

import { count, duration, exactDuration } from "../format.js";
import { codeWords, endLine, endedWell, outcomeWords } from "../words.js";

// Shorter waits count as none.
const AT_ONCE_MS = 1_000;
const LONGEST_TITLE = 80;

// {command, words}: "`pytest -q` failed", "`uvicorn` printed “ERROR”", "Sub-agent reported".
export function wakeTitle({ source, notice }) {
  if (source === "delegation_wakeup") return { command: "", words: `Sub-agent ${outcomeWords(job(notice, source))}` };
  const words = source === "watch_match" ? printed(notice) : outcomeWords(notice);
  return { command: titleCommand(notice.command), words };
}

// The first line of a command, shortened to fit a title.
export function titleCommand(command) {
  const [line] = command.split("\n", 1);
  const isWhole = line === command && line.length <= LONGEST_TITLE;
  return isWhole ? line : `${line.slice(0, LONGEST_TITLE - 1).trimEnd()}…`;
}

// For several notices that arrived together.
export function groupTitle(messages) {
  const sources = new Set(messages.map((message) => message.source));
  if (sources.size === 1 && sources.has("watch_match")) return `${count(messages.length, "watched line")} printed`;
  const jobs = new Set(messages.map((message) => message.notice.task_id)).size;
  const noun = sources.size === 1 && sources.has("delegation_wakeup") ? "sub-agent" : "job";
  return `${count(jobs, noun)} reported`;
}

// `task` is the current job, if known: the notice of a match does not say how the job ended.
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

// How the notice reached the agent; `turns` shows which turn it waited for.
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

// The output that the agent read. Older notices have it only inside their text.
export function wakeOutput({ content, notice }) {
  if (typeof notice.output === "string") return notice.output;
  const at = /\n(?:Output|Matched output|Result):\n/.exec(content ?? "");
  return at ? content.slice(at.index + at[0].length).replace(/\](?:\n\[Between [^\n]*\])?$/, "") : "";
}

// The preview: the last line usually says most.
export function lastLine(output) {
  // Escape sequences are no part of the preview.
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

// Older notices lack their kind.
function job(notice, source) {
  return { ...notice, source };
}

// The step after which the notice joined the turn; the agent read it at the next one.
function stepOf({ id }) {
  return Number(id.split(".")[1]);
}

// The turn that was running when the notice was posted, if that is why it waited.
function busyTurn({ turn_id: turnId }, waited, turns) {
  const turn = turns.get(turnId);
  if (!turn?.opened_at) return null;
  const before = [...turns.values()].find((one) => one.number === turn.number - 1);
  if (!before?.closed_at) return null;
  const posted = Date.parse(turn.opened_at) - waited;
  return Date.parse(before.closed_at) > posted ? before : null;
}
