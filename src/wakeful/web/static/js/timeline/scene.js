// Lays out a session: turns above, jobs in lanes below, and arrows from jobs to the turns that they woke.

import { endedWell } from "../words.js";
import { arrowsOf } from "./arrows.js";
import { Axis } from "./axis.js";
import { jobLabel, turnName } from "./labels.js";
import { pack } from "./lanes.js";
import { thread } from "./threads.js";

const TURN_TOP = 27;
const TURN_HEIGHT = 15;
const FIRST_LANE = 70;
const LANE_HEIGHT = 22;
const NARROWEST = 10;
const MARKS = { failed: "fail", cancelled: "killed" };

// `data` is the response of /api/session/timeline with times in seconds. `lanes` is kept between drawings of one
// session, `measure(text, font)` returns the width of a text. Returns null when there is nothing to draw.
export function scene(data, { width, isNarrow, measure, lanes }) {
  if (!data.turns.length) return null;
  const left = isNarrow ? 16 : 104;
  const margin = isNarrow ? 26 : 52;
  const axis = new Axis(busyTimes(data), { left, width: width - left - margin });
  const bars = apart(data.turns.map((turn) => turnBar(turn, data, axis)));
  const all = data.tasks.map((task) => jobLine(task, data, axis));
  const packed = inLanes(all, arrowsOf(data.notices, all, bars, axis, data.now), lanes);
  thread(packed.jobs, bars);
  notch(bars, packed.arrows);
  name(packed, bars, { isNarrow, measure });
  return {
    axis,
    isNarrow,
    width: Math.max(width, axis.right + margin),
    height: packed.lanes ? FIRST_LANE + (packed.lanes - 1) * LANE_HEIGHT + 14 : 54,
    hidden: packed.hidden,
    now: axis.x(data.now),
    isLive: data.turns.some((turn) => turn.closed_at === null) || data.tasks.some((task) => task.ended_at === null),
    bars,
    jobs: packed.jobs,
    arrows: packed.arrows,
  };
}

function busyTimes({ turns, tasks, notices, now }) {
  const ends = tasks.map((task) => task.ended_at ?? now);
  const points = notices.flatMap((notice) => [notice.posted_at, notice.at ?? now]);
  return [
    ...turns.map((turn) => [turn.opened_at, turn.closed_at ?? now]),
    ...[...ends, ...points].map((moment) => [moment, moment]),
  ];
}

function turnBar(turn, data, axis) {
  const x = axis.x(turn.opened_at);
  const width = Math.max(NARROWEST, axis.x(turn.closed_at ?? data.now) - x);
  const isWakeup = turn.source.endsWith("_wakeup") || turn.source === "watch_match";
  const isLeft = wasLeft(turn, data.turns);
  const isRunning = turn.closed_at === null;
  const mark = isLeft ? undefined : MARKS[turn.status];
  return { turn, x, y: TURN_TOP, width, height: TURN_HEIGHT, isWakeup, isLeft, isRunning, mark, notches: [] };
}

// A very short turn is widened, but never into the next one.
function apart(bars) {
  bars.slice(1).forEach((next, index) => {
    const bar = bars[index];
    bar.width = Math.max(3, Math.min(bar.width, next.x - bar.x - 1));
  });
  return bars;
}

// Whether the turn is on an abandoned branch: after an edit or a regenerated answer, a later turn has the same number
// or a lower one.
export function wasLeft(turn, turns) {
  return turns.some((other) => other.opened_at > turn.opened_at && other.number <= turn.number);
}

function jobLine(task, data, axis) {
  const x = axis.x(task.started_at);
  const end = Math.max(x + 3, axis.x(task.ended_at ?? data.now));
  return { task, x, end, how: howItStands(task) };
}

export function howItStands(task) {
  if (task.needs_you) return "needs";
  if (task.status === "running") return "live";
  if (task.status === "lost" || task.status === "killed") return task.status;
  return endedWell(task) ? "ok" : "fail";
}

function inLanes(all, arrows, kept) {
  const spans = all.map((job) => span(job, arrows));
  const { lanes, hidden } = pack(spans, kept);
  all.forEach((job, index) => {
    job.lane = spans[index].lane;
    job.y = FIRST_LANE + job.lane * LANE_HEIGHT;
  });
  const isShown = (job) => job.lane !== -1;
  return { lanes, hidden, jobs: all.filter(isShown), arrows: arrows.filter((arrow) => isShown(arrow.job)) };
}

// The span includes the wait, which is drawn in the job's own lane.
function span(job, arrows) {
  const own = arrows.filter((arrow) => arrow.job === job);
  const stems = own.filter((arrow) => arrow.bar).map((arrow) => arrow.to);
  const to = Math.max(job.end + 8, ...own.map((arrow) => arrow.to + 3));
  return { id: job.task.id, from: job.x - 4, to, end: job.end, stems, isRunning: job.task.ended_at === null };
}

function notch(bars, arrows) {
  for (const { bar, to, isJoined } of arrows) if (isJoined && !bar.notches.includes(to)) bar.notches.push(to);
}

function name({ jobs, arrows }, bars, look) {
  for (const job of jobs) job.label = jobLabel(job, passing(job, jobs, arrows), look);
  for (const bar of bars) bar.name = turnName(bar, look);
}

// The x positions of threads to deeper lanes, and of stems from the job's own lane and deeper ones.
function passing(job, jobs, arrows) {
  const threads = jobs.filter((other) => other.lane > job.lane).map((other) => other.thread);
  const stems = arrows.filter((arrow) => arrow.bar && arrow.job.lane >= job.lane).map((arrow) => arrow.to);
  return [...threads, ...stems];
}
