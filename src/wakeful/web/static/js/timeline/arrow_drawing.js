// Arrows: a dotted wait in the job's lane, then a stem up into the turn. Arrows to the same point share stem and head.

import { link, round, shape } from "./shapes.js";

const TIP = 49;
const BEND = 6;
// Keeps clear of the mark at the end of the job.
const CLEAR = 8;

export function arrowParts(arrows) {
  const risen = arrows.filter((arrow) => arrow.bar);
  return [...risen.map(halo), ...arrows.map(drawn), ...heads(risen)];
}

// A gap around the stem, so lines that it crosses look interrupted.
function halo({ job, to }) {
  return shape("path", { class: "tl__halo", d: `M${round(to)} ${job.y - CLEAR}V50` });
}

function drawn(arrow) {
  const parts = [...wait(arrow), ...(arrow.bar ? [stem(arrow)] : [])];
  if (arrow.isWatch) parts.push(shape("circle", { class: "tl__end tl__end--watch", cx: arrow.from, cy: arrow.job.y, r: 3 }));
  const { notice, bar } = arrow;
  return link({ turn: notice.turn_id ?? "", task: notice.task_id }, arrowLabel(notice, bar), parts);
}

function wait({ job, bar, from, to }) {
  const end = bar ? to - BEND - 1 : to;
  return end - from > CLEAR ? [shape("path", { class: "tl__wait", d: `M${round(from + CLEAR)} ${job.y}H${round(end)}` })] : [];
}

function stem({ job, from, to }) {
  const across = round(Math.min(BEND, to - from));
  return shape("path", { class: "tl__wake", d: `M${round(to - across)} ${job.y}q${across} 0 ${across} -${BEND}V${TIP}` });
}

function heads(arrows) {
  const tips = new Set(arrows.map((arrow) => round(arrow.to)));
  return [...tips].map((x) => shape("path", { class: "tl__head", d: `M${round(x - 4)} 50h8l-4 -7z` }));
}

function arrowLabel({ delivered }, bar) {
  if (!bar) return "Waits to be reported";
  return delivered === "opened" ? `Woke turn ${bar.turn.number}` : `Reported in turn ${bar.turn.number}`;
}
