// A scene as SVG, with attributes only: the page's rules allow no style in markup.

import { clock, duration } from "../format.js";
import { shape, link } from "./shapes.js";

const TURN_BOTTOM = 42;

export function draw(scene, label) {
  const { width, height } = scene;
  const drawing = shape("svg", { class: "tl", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
  drawing.append(...grid(scene), ...scene.tasks.map(spawn), ...scene.tasks.flatMap(task));
  drawing.append(...scene.wakes.map(wake), ...scene.tasks.flatMap(ending), ...scene.turns.map(turn));
  return drawing;
}

function grid({ axis, height, now, isLive, isNarrow, hidden }) {
  const ticks = axis.ticks(isNarrow ? 72 : 80).filter((moment) => !isLive || Math.abs(axis.x(moment) - now) > 30);
  const marks = ticks.flatMap((moment) => [
    shape("text", { x: axis.x(moment), y: 13, "text-anchor": "middle", text: clock(new Date(moment * 1000)) }),
    shape("path", { class: "tl__grid", d: `M${round(axis.x(moment))} 19V${height}` }),
  ]);
  const breaks = axis.breaks().flatMap(({ x, width, seconds }) => [
    shape("path", { class: "tl__break", d: `M${round(x + 8)} 34.5H${round(x + width - 8)}` }),
    shape("text", { x: x + width / 2, y: 30, "text-anchor": "middle", text: `idle ${duration(seconds)}` }),
  ]);
  const names = isNarrow ? [] : [shape("text", { x: 16, y: 39, text: "turns" }), shape("text", { x: 16, y: 74, text: height > 60 ? "background" : "" })];
  const more = hidden ? [shape("text", { x: 16, y: height - 8, text: `+${hidden} more` })] : [];
  return [...marks, ...breaks, ...names, ...more, ...(isLive ? nowLine(now, height) : [])];
}

function nowLine(x, height) {
  return [
    shape("path", { class: "tl__now", d: `M${round(x)} 19V${height}` }),
    shape("text", { class: "tl__nowtext", x, y: 13, "text-anchor": "middle", text: "now" }),
  ];
}

function turn({ turn, x, y, width, height, isWakeup, isLeft, isRunning, label }) {
  const kind = isLeft ? " tl__turn--left" : isWakeup ? " tl__turn--wake" : "";
  const parts = [shape("rect", { class: `tl__turn${kind}`, x, y, width, height, rx: 3 })];
  if (isRunning) parts.push(shape("rect", { class: "tl__turn tl__turn--live", x: x + width - 4, y, width: 4, height, rx: 2 }));
  if (turn.source === "cron") parts.push(shape("circle", { class: "tl__ask", cx: x + 4, cy: 22.5, r: 2.5 }));
  else if (!isWakeup) parts.push(shape("path", { class: "tl__ask", d: `M${round(x)} 20h9l-4.5 6z` }));
  if (label) parts.push(shape("text", { class: `tl__turntext${isWakeup ? " tl__turntext--wake" : ""}`, x: x + width / 2, y: 39, "text-anchor": "middle", text: label }));
  // What was left is no longer in the transcript: there is nothing to lead to.
  return isLeft ? shape("g", {}, parts) : link({ turn: turn.turn_id }, `Turn ${turn.number}`, parts);
}

function spawn({ x, y }) {
  return shape("path", { class: "tl__spawn", d: `M${round(x)} ${TURN_BOTTOM}V${y - 5}q0 5 5 5` });
}

function task({ task, x, y, end, id, note, how }) {
  const line = shape("path", { class: `tl__task tl__task--${how}`, d: `M${round(x + 5)} ${y}H${round(end)}` });
  const name = shape("text", { class: "tl__id", x: x + 9, y: y - 5, text: id });
  const words = shape("text", { x: x + 15 + id.length * 6.7, y: y - 5, text: note });
  return [link({ task: task.id, turn: task.turn_id }, `${id}, ${task.command}`, [line, name, words])];
}

function ending({ x, y, end, how }) {
  const at = round(Math.max(end, x + 5));
  if (how === "fail") return [shape("path", { class: "tl__end tl__end--fail", d: `M${at} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z` })];
  if (how === "killed") return [shape("path", { class: "tl__end tl__end--killed", d: `M${at - 1} ${y - 5}h3v10h-3z` })];
  if (how === "needs") return needs(at, y);
  return [shape("circle", { class: `tl__end tl__end--${how}`, cx: at, cy: y, r: how === "live" ? 4 : 4.5 })];
}

function needs(x, y) {
  return [
    shape("rect", { class: "tl__needs", x: x - 28, y: y - 8, width: 64, height: 16, rx: 4 }),
    shape("text", { class: "tl__needstext", x: x + 4, y: y + 4, "text-anchor": "middle", text: "needs you" }),
  ];
}

function wake({ notice, x, y, at, isWatch, isUpright }) {
  const top = isUpright ? x + 7 : Math.max(at, x + 8);
  const path = isUpright
    ? `M${round(x)} ${y}q7 0 7 -8V48`
    : `M${round(x)} ${y}C${round(x + (top - x) * 0.75)} ${y} ${round(top)} ${(y + 66) / 2} ${round(top)} 48`;
  const parts = [shape("path", { class: "tl__wake", d: path }), shape("path", { class: "tl__head", d: `M${round(top - 4)} 50h8l-4 -7z` })];
  if (isWatch) parts.push(shape("circle", { class: "tl__end tl__end--watch", cx: x, cy: y, r: 3 }));
  return link({ turn: notice.turn_id, task: notice.task_id }, `Woke a turn`, parts);
}

function round(number) {
  return Math.round(number * 10) / 10;
}
