// What happened in a session as things on a plane: turns above, tasks in lanes below, and who woke whom.

import { shortId } from "../short_id.js";
import { Axis } from "./axis.js";
import { pack } from "./lanes.js";

const TURN_TOP = 27;
const TURN_HEIGHT = 15;
const FIRST_LANE = 70;
const LANE_HEIGHT = 22;
const LETTER = 6.7;

// `data` is the answer of /api/session/timeline with times in seconds. Nothing to draw: null.
export function scene(data, { width, isNarrow }) {
  if (!data.turns.length) return null;
  const left = isNarrow ? 16 : 104;
  const axis = new Axis(busyTimes(data), { left, width: width - left - (isNarrow ? 26 : 52) });
  const packed = pack(data.tasks.map((task) => taskSpan(task, data, axis, isNarrow)));
  const shown = packed.spans.filter((span) => span.lane !== -1);
  for (const span of shown) span.y = FIRST_LANE + span.lane * LANE_HEIGHT;
  return {
    axis,
    isNarrow,
    width: Math.max(width, axis.right + (isNarrow ? 26 : 52)),
    height: packed.lanes ? FIRST_LANE + (packed.lanes - 1) * LANE_HEIGHT + 12 : 54,
    hidden: packed.hidden,
    now: axis.x(data.now),
    isLive: data.turns.some((turn) => turn.closed_at === null) || data.tasks.some((task) => task.ended_at === null),
    turns: data.turns.map((turn) => turnBar(turn, data, axis, isNarrow)),
    tasks: shown,
    wakes: data.notices.map((notice) => wakeArrow(notice, shown, axis)).filter(Boolean),
  };
}

function busyTimes({ turns, tasks, notices, now }) {
  const ends = tasks.map((task) => task.ended_at ?? now);
  return [
    ...turns.map((turn) => [turn.opened_at, turn.closed_at ?? now]),
    ...[...ends, ...notices.map((notice) => notice.at)].map((moment) => [moment, moment]),
  ];
}

function turnBar(turn, data, axis, isNarrow) {
  const x = axis.x(turn.opened_at);
  const width = Math.max(10, axis.x(turn.closed_at ?? data.now) - x);
  const isWakeup = turn.source.endsWith("_wakeup") || turn.source === "watch_match";
  const isLeft = wasLeft(turn, data.turns);
  const label = isLeft || isNarrow || width < 18 ? "" : width < 56 ? `${turn.number}` : `turn ${turn.number}`;
  const isRunning = turn.closed_at === null;
  return { turn, x, y: TURN_TOP, width, height: TURN_HEIGHT, isWakeup, isLeft, label, isRunning };
}

// An edit or another answer went on from before it: a later turn has its number, or a lower one.
export function wasLeft(turn, turns) {
  return turns.some((other) => other.opened_at > turn.opened_at && other.number <= turn.number);
}

function taskSpan(task, data, axis, isNarrow) {
  const x = axis.x(task.started_at);
  const end = Math.max(x + 8, axis.x(task.ended_at ?? data.now));
  const id = isNarrow ? shortId(task.id).split("_").at(-1) : shortId(task.id);
  const note = isNarrow ? "" : shorten(task.kind === "delegation" ? `sub-agent: ${task.command}` : task.command);
  const labelEnd = x + 12 + (id.length + note.length) * LETTER;
  return { task, x, end, id, note, from: x - 4, to: Math.max(end + 16, labelEnd), how: howItStands(task) };
}

export function howItStands(task) {
  if (task.needs_you) return "needs";
  if (task.status === "running") return "live";
  if (task.status === "lost" || task.status === "killed") return task.status;
  return task.status === "exited" && (task.exit_code ?? 0) === 0 ? "ok" : "fail";
}

function wakeArrow(notice, spans, axis) {
  const span = spans.find((one) => one.task.id === notice.task_id);
  if (!span) return null;
  const isWatch = notice.kind === "watch";
  const at = axis.x(notice.at);
  return { notice, x: isWatch ? at : span.end, y: span.y, at, isWatch, isUpright: notice.delivered === "opened" };
}

function shorten(text) {
  const line = text.split("\n", 1)[0];
  return line.length > 34 ? `${line.slice(0, 33)}…` : line;
}
