// Draws a scene as SVG, with attributes only: the content security policy allows no inline style.

import { clock, duration } from "../format.js";
import { arrowParts } from "./arrow_drawing.js";
import { link, round, shape } from "./shapes.js";

const TURN_BOTTOM = 42;
// A time label nearer to "now" than this is left out.
const NEAR_NOW = 44;

export function draw(scene, label) {
  const { width, height } = scene;
  const drawing = shape("svg", { class: "tl", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
  drawing.append(...grid(scene), ...scene.jobs.map(spawn), ...scene.jobs.map(job));
  drawing.append(...arrowParts(scene.arrows), ...scene.jobs.flatMap(ending), ...scene.bars.map(turn));
  // The mark at the end of a turn covers the next turn, which may begin at the same pixel.
  drawing.append(...scene.bars.filter((bar) => bar.mark).map(turnMark));
  return drawing;
}

function grid({ axis, height, now, isLive, isNarrow, hidden }) {
  const marks = axis.ticks(isNarrow ? 72 : 80).flatMap((moment) => tick(moment, axis, height, isLive ? now : null));
  const breaks = axis.breaks().flatMap(({ x, width, seconds }) => [
    shape("path", { class: "tl__break", d: `M${round(x + 8)} 34.5H${round(x + width - 8)}` }),
    shape("text", { x: x + width / 2, y: 30, "text-anchor": "middle", text: `idle ${duration(seconds)}` }),
  ]);
  const names = isNarrow ? [] : [shape("text", { x: 16, y: 39, text: "turns" }), shape("text", { x: 16, y: 74, text: height > 60 ? "background" : "" })];
  const more = hidden ? [shape("text", { x: 16, y: height - 8, text: `+${hidden} more` })] : [];
  return [...marks, ...breaks, ...names, ...more, ...(isLive ? nowLine(now, height) : [])];
}

function tick(moment, axis, height, now) {
  const x = axis.x(moment);
  const line = shape("path", { class: "tl__grid", d: `M${round(x)} 19V${height}` });
  if (now !== null && Math.abs(x - now) < NEAR_NOW) return [line];
  return [shape("text", { x, y: 13, "text-anchor": "middle", text: clock(new Date(moment * 1000)) }), line];
}

function nowLine(x, height) {
  return [
    shape("path", { class: "tl__now", d: `M${round(x)} 19V${height}` }),
    shape("text", { class: "tl__nowtext", x, y: 13, "text-anchor": "middle", text: "now" }),
  ];
}

function turn({ turn, x, y, width, height, isWakeup, isLeft, isRunning, notches, name }) {
  const kind = isLeft ? " tl__turn--left" : isWakeup ? " tl__turn--wake" : "";
  const parts = [shape("rect", { class: `tl__turn${kind}`, x, y, width, height, rx: 3 })];
  if (isRunning) parts.push(shape("rect", { class: "tl__turn tl__turn--live", x: x + width - 4, y, width: 4, height, rx: 2 }));
  parts.push(...notches.map((at) => shape("path", { class: "tl__notch", d: `M${round(at)} 36V${TURN_BOTTOM}` })));
  if (turn.source === "cron") parts.push(shape("circle", { class: "tl__ask", cx: x + 4, cy: 22.5, r: 2.5 }));
  else if (!isWakeup) parts.push(shape("path", { class: "tl__ask", d: `M${round(x)} 20h9l-4.5 6z` }));
  if (name) parts.push(shape("text", { class: `tl__turntext${isWakeup ? " tl__turntext--wake" : ""}`, x: name.x, y: 39, "text-anchor": "middle", text: name.text }));
  // A turn of an abandoned branch is not in the transcript: there is nothing to link to.
  return isLeft ? shape("g", {}, parts) : link({ turn: turn.turn_id }, turnLabel(turn), parts);
}

function turnMark({ mark, x, width }) {
  const at = round(x + width);
  const d = mark === "fail" ? `M${at} 28l6.5 6.5l-6.5 6.5l-6.5 -6.5z` : `M${at - 5} 29.5h10v10h-10z`;
  return shape("path", { class: `tl__end tl__end--${mark}`, d });
}

function turnLabel({ number, status }) {
  const how = { failed: ", failed", cancelled: ", stopped" }[status] ?? "";
  return `Turn ${number}${how}`;
}

function spawn({ thread, x, y }) {
  return shape("path", { class: "tl__spawn", d: `M${round(thread)} ${TURN_BOTTOM}V${y - 5}q0 5 5 5H${round(Math.max(x, thread + 5))}` });
}

function job({ task, x, y, end, label, how }) {
  const parts = [shape("path", { class: `tl__task tl__task--${how}`, d: `M${round(x)} ${y}H${round(end)}` })];
  if (label) parts.push(shape("text", { class: "tl__id", x: label.x, y: y - 5, text: label.id }));
  if (label?.note) parts.push(shape("text", { x: label.x + label.noteAt, y: y - 5, text: label.note }));
  return link({ task: task.id, turn: task.turn_id }, `${task.id}, ${task.command}`, parts);
}

function ending({ y, end, how }) {
  const at = round(end);
  if (how === "fail") return [shape("path", { class: "tl__end tl__end--fail", d: `M${at} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z` })];
  if (how === "killed") return [shape("path", { class: "tl__end tl__end--killed", d: `M${at - 4} ${y - 4}h8v8h-8z` })];
  if (how === "needs") return needs(at, y);
  return [shape("circle", { class: `tl__end tl__end--${how}`, cx: at, cy: y, r: how === "live" ? 4 : 4.5 })];
}

function needs(x, y) {
  return [
    shape("rect", { class: "tl__needs", x: x - 28, y: y - 8, width: 64, height: 16, rx: 4 }),
    shape("text", { class: "tl__needstext", x: x + 4, y: y + 4, "text-anchor": "middle", text: "needs you" }),
  ];
}
