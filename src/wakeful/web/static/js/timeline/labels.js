// Labels on the timeline: the longest form that fits between the lines that cross their strip.

import { shortId } from "../ids.js";
import { codeWords, endedWell } from "../words.js";

const GAP = 5;
// Fewer letters of a command mean nothing to the reader.
const FEWEST_LETTERS = 6;
const MOST_LETTERS = 120;
const BETWEEN = 6;

// {x, id, note} or null. `obstacles`: where threads and stems cross the strip. `measure(text, font)` in pixels.
export function jobLabel(job, obstacles, { isNarrow, measure }) {
  const spaces = gaps(job.thread + GAP + 2, job.end - GAP, obstacles);
  const id = shortId(job.task.id);
  const note = isNarrow ? "" : noteOf(job.task);
  const forms = isNarrow ? [] : [(room) => whole(id, note, room, measure), (room) => cut(id, note, room, measure), (room) => alone(id, room, measure)];
  forms.push((room) => alone(id.split("_").at(-1).slice(-4), room, measure));
  for (const form of forms) {
    for (const [from, to] of spaces) {
      const words = form(to - from);
      if (words) return { x: from, ...words };
    }
  }
  return null;
}

// {x, text} or null: centred in the widest part of the bar between its notches.
export function turnName(bar, { isNarrow, measure }) {
  if (bar.isLeft || isNarrow) return null;
  const right = bar.x + bar.width - (bar.mark ? 8 : bar.isRunning ? 4 : 0);
  const spaces = gaps(bar.x + 2, right - 2, bar.notches, 2).sort((one, other) => width(other) - width(one));
  for (const text of [`turn ${bar.turn.number}`, `${bar.turn.number}`]) {
    const [from, to] = spaces[0] ?? [0, 0];
    if (measure(text, "bold") + 4 <= to - from) return { x: (from + to) / 2, text };
  }
  return null;
}

// The free parts of a strip, from left to right.
export function gaps(from, to, obstacles, apart = GAP) {
  const inside = obstacles.filter((x) => x > from - apart && x < to + apart).sort((one, other) => one - other);
  const edges = [from - apart, ...inside, to + apart];
  return edges
    .slice(1)
    .map((edge, index) => [edges[index] + apart, edge - apart])
    .filter((space) => width(space) > 0);
}

function whole(id, note, room, measure) {
  const wide = measure(id, "mono") + (note ? BETWEEN + measure(note, "sans") : 0);
  return wide <= room ? labelOf(id, note, measure) : null;
}

function cut(id, note, room, measure) {
  const left = room - measure(id, "mono") - BETWEEN;
  let letters = [...note];
  while (letters.length >= FEWEST_LETTERS && measure(`${letters.join("")}…`, "sans") > left) letters = letters.slice(0, -1);
  return letters.length >= FEWEST_LETTERS ? labelOf(id, `${letters.join("").trimEnd()}…`, measure) : null;
}

function alone(id, room, measure) {
  return measure(id, "mono") <= room ? labelOf(id, "", measure) : null;
}

function labelOf(id, note, measure) {
  return { id, note, noteAt: measure(id, "mono") + BETWEEN };
}

// "make check · exit code 2", "sub-agent: study pgmq"
function noteOf(task) {
  const line = task.command.split("\n", 1)[0].slice(0, MOST_LETTERS);
  const words = task.kind === "delegation" ? `sub-agent: ${line}` : line;
  const end = endOf(task);
  return end ? `${words} · ${end}` : words;
}

function endOf(task) {
  if (task.status === "running") return "";
  if (task.status === "killed" || task.status === "lost") return task.status === "lost" ? "lost" : "stopped";
  if (endedWell(task)) return task.kind === "delegation" ? "" : "ended well";
  return codeWords(task) || "failed";
}

function width([from, to]) {
  return to - from;
}
