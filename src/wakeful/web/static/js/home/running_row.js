// Something that runs: a background job, a sub-agent, or a turn.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { el, iconButton } from "../dom.js";
import { shortCommand } from "../news/news_words.js";
import { followLink, openSessionById, sessionPath } from "../router.js";
import { RowView } from "../row_view.js";
import { tick } from "../ticker.js";
import { promiseWords } from "../words.js";
import { plainWords } from "./quote.js";

export function runningRow() {
  return new RowView(parts, el("li", { class: "run" }));
}

// Leaves out turns that wait for the reader: their questions are listed above.
export function runningEntries({ running, approvals }) {
  const asking = new Set(approvals.map((approval) => approval.session_id));
  const working = running.filter((one) => one.task || !asking.has(one.session_id));
  return working.map((one) => ({ ...one, key: one.task?.id ?? one.turn.turn_id }));
}

function parts(entry) {
  const time = el("span", { class: "run__time" });
  tick(time, entry.started_at);
  const { title, note, progress, stop } = entry.task ? ofTask(entry) : ofTurn(entry);
  return [
    el("span", { class: "state state--live" }, el("span", { class: "ring" }), el("span", { class: "sr-only", text: "running" })),
    el("p", { class: "row__title" }, title),
    el("p", { class: "row__note" }, sessionLink(entry), ` · ${note}`),
    progress,
    time,
    stop,
  ];
}

function ofTask({ task }) {
  const isAgent = task.kind === "delegation";
  const name = shortCommand(task.command);
  const isKnown = task.progress !== null && task.progress !== undefined;
  const stop = () => ask(`/api/tasks/${encodeURIComponent(task.id)}/kill`, {});
  return {
    title: isAgent ? [`Sub-agent: ${plainWords(task.command)}`] : [el("code", { text: name, title: task.command })],
    note: promiseWords(task),
    progress: isKnown && progressBar(task.progress),
    stop: iconButton("stop", `Stop ${name}`, stop, "button--small"),
  };
}

function progressBar(value) {
  const bar = el("progress", { class: "progress", max: 100, value, "aria-label": "Progress" });
  return el("span", { class: "run__bar" }, bar, `${value}%`);
}

function ofTurn({ session_id, title, turn }) {
  const stop = () => ask("/api/chat/cancel", { session_id });
  const number = turn.number ? `turn ${turn.number}` : "its turn";
  return {
    title: answering(turn),
    note: number,
    stop: iconButton("stop", `Stop ${number} of ${title || "New session"}`, stop, "button--small"),
  };
}

function answering({ step, call }) {
  const words = step > 1 ? `Answering, step ${step}` : "Answering";
  return call ? [`${words}: `, el("code", { text: shortCommand(`${call.name} ${mainArgument(call.arguments)}`) })] : [words];
}

// The first text among the arguments: a path, a command, a goal.
function mainArgument(text) {
  try {
    const first = Object.values(JSON.parse(text)).find((value) => typeof value === "string");
    return first ?? "";
  } catch {
    // Still incomplete.
    return "";
  }
}

function sessionLink({ session_id: id, title }) {
  const open = (event) => followLink(event, () => openSessionById(id));
  return el("a", { href: sessionPath(id), onclick: open, text: title || "New session" });
}

async function ask(path, body) {
  try {
    await api.post(path, body);
  } catch (error) {
    emit("toast", { kind: "fail", title: "Not stopped", text: error.message });
  }
}
