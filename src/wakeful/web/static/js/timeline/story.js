// The timeline in words: a description for screen readers, and one line for low screens.

import { count, duration } from "../format.js";
import { shortId } from "../ids.js";
import { howItStands, wasLeft } from "./scene.js";

const ENDINGS = { ok: "ended well", fail: "failed", lost: "was lost", killed: "was stopped", live: "is running", needs: "needs your approval" };
const CAUSES = { cron: "scheduled", compaction: "summed up older messages" };
const TURN_ENDINGS = { failed: ", failed", cancelled: ", was stopped" };
// As much as a listener can take in; the rest is in the transcript.
const MOST_TURNS = 12;

export function story({ turns, tasks, notices }) {
  const recent = turns.filter((turn) => !wasLeft(turn, turns)).slice(-MOST_TURNS);
  const sentences = recent.map((turn) => aboutTurn(turn, tasks, notices));
  const ends = tasks.filter((task) => recent.some((turn) => turn.turn_id === task.turn_id)).map((task) => aboutTask(task, turns, notices));
  return ["Timeline.", ...sentences, ...ends].join(" ");
}

// ["Turn 5 running", "2 jobs run", "turn 4 failed"]
export function inShort({ turns, tasks }) {
  const shown = turns.filter((turn) => !wasLeft(turn, turns));
  const last = shown.at(-1);
  const running = tasks.filter((task) => task.ended_at === null).length;
  const failed = shown.findLast((turn) => turn.status === "failed" && turn !== last);
  const words = last && { failed: "failed", cancelled: "stopped", running: "running" }[last.status];
  return [
    last && `Turn ${last.number} ${words ?? "done"}`,
    running && `${count(running, "job")} run${running === 1 ? "s" : ""}`,
    failed && `turn ${failed.number} failed`,
  ].filter(Boolean);
}

function aboutTurn(turn, tasks, notices) {
  const woken = notices.filter((notice) => notice.turn_id === turn.turn_id && notice.delivered === "opened");
  const cause = woken.length ? `woken by ${list(woken.map((notice) => shortId(notice.task_id)))}` : (CAUSES[turn.source] ?? "asked by you");
  const started = tasks.filter((task) => task.turn_id === turn.turn_id).map((task) => shortId(task.id));
  const state = turn.closed_at === null ? ", is running" : (TURN_ENDINGS[turn.status] ?? "");
  return `Turn ${turn.number}, ${cause}${state}${started.length ? `, started ${list(started)}` : ""}.`;
}

function aboutTask(task, turns, notices) {
  const after = task.ended_at === null ? "" : ` after ${duration(task.ended_at - task.started_at)}`;
  const own = notices.filter((one) => one.task_id === task.id);
  const said = [...own.filter((one) => one.kind === "watch").map((one) => withDelivery("printed a watched line", one, turns)), ending(task, after, own, turns)];
  return `${shortId(task.id)} ${list(said)}.`;
}

function ending(task, after, own, turns) {
  const words = `${ENDINGS[howItStands(task)]}${after}`;
  const notice = own.find((one) => one.kind !== "watch");
  return notice ? withDelivery(words, notice, turns) : words;
}

function withDelivery(words, notice, turns) {
  if (!notice.turn_id) return `${words} and waits to be reported`;
  const turn = turns.find((one) => one.turn_id === notice.turn_id);
  if (!turn) return words;
  return notice.delivered === "opened" ? `${words} and woke turn ${turn.number}` : `${words} and was reported in turn ${turn.number}`;
}

function list(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
