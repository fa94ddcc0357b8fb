// The state of a task as an icon and words.

import { el, icon } from "../dom.js";
import { duration } from "../format.js";
import { serverNow } from "../server_clock.js";
import { tick } from "../ticker.js";
import { endedWell, endLine } from "../words.js";

export function isRunning(task) {
  return task.status === "running";
}

function seconds(task) {
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
  return endedWell(task) ? el("span", { class: "state state--ok" }, icon("ok")) : el("span", { class: "state state--fail" }, icon("fail"));
}

// "failed · exit code 1, 3 min 54 s", "ended well, 2 min 38 s", "sub-agent reported, 4 min 36 s"
export function endedWords(task) {
  const words = endedWell(task) && task.kind !== "delegation" ? "ended well" : endLine(task);
  return `${task.kind === "delegation" ? "sub-agent " : ""}${words}, ${duration(seconds(task))}`;
}
