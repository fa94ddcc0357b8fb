// How a task stands, as a shape and a word.

import { el, icon } from "../dom.js";
import { duration } from "../format.js";
import { tick } from "../ticker.js";

export function isRunning(task) {
  return task.status === "running";
}

export function seconds(task) {
  return (Date.parse(task.ended_at ?? new Date(serverNow()).toISOString()) - Date.parse(task.started_at)) / 1000;
}

export function runningState(task) {
  const time = el("span", { class: "num" });
  tick(time, task.started_at);
  return el("span", { class: "state state--live" }, el("span", { class: "ring" }), time);
}

export function endedIcon(task) {
  if (task.status === "lost") return el("span", { class: "state state--off" }, icon("lost"));
  if (task.status === "killed") return el("span", { class: "state state--off" }, icon("stop"));
  return isWell(task) ? el("span", { class: "state state--ok" }, icon("ok")) : el("span", { class: "state state--fail" }, icon("fail"));
}

// "exit 0, 2 min 38 s"
export function endedWords(task) {
  return `${ending(task)}, ${duration(seconds(task))}`;
}

function ending(task) {
  if (task.status === "lost") return "lost";
  if (task.status === "killed") return "stopped";
  if (task.kind === "delegation") return isWell(task) ? "sub-agent reported" : "sub-agent failed";
  return `exit ${task.exit_code ?? "unknown"}`;
}

function isWell(task) {
  return task.status === "exited" && (task.exit_code ?? 0) === 0;
}
