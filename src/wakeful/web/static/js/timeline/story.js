// The timeline in words, for those who do not see it.

import { duration } from "../format.js";
import { shortId } from "../short_id.js";
import { howItStands, wasLeft } from "./scene.js";

const ENDINGS = { ok: "ended well", fail: "failed", lost: "was lost", killed: "was stopped", live: "is running", needs: "needs your approval" };
// What a listener can take in: the rest is in the transcript.
const MOST_TURNS = 12;

export function story({ turns, tasks, notices }) {
  const told = turns.filter((turn) => !wasLeft(turn, turns)).slice(-MOST_TURNS);
  const sentences = told.map((turn) => aboutTurn(turn, tasks, notices));
  const ends = tasks.filter((task) => told.some((turn) => turn.turn_id === task.turn_id)).map((task) => aboutTask(task, turns, notices));
  return ["Timeline.", ...sentences, ...ends].join(" ");
}

function aboutTurn(turn, tasks, notices) {
  const woken = notices.filter((notice) => notice.turn_id === turn.turn_id && notice.delivered === "opened");
  const cause = woken.length ? `woken by ${list(woken.map((notice) => shortId(notice.task_id)))}` : turn.source === "cron" ? "started by the clock" : "asked by you";
  const started = tasks.filter((task) => task.turn_id === turn.turn_id).map((task) => shortId(task.id));
  const state = turn.closed_at === null ? ", is running" : turn.status === "failed" ? ", failed" : "";
  return `Turn ${turn.number}, ${cause}${state}${started.length ? `, started ${list(started)}` : ""}.`;
}

function aboutTask(task, turns, notices) {
  const how = howItStands(task);
  const after = task.ended_at === null ? "" : ` after ${duration(task.ended_at - task.started_at)}`;
  const notice = notices.find((one) => one.task_id === task.id && one.kind !== "watch");
  const woke = turns.find((turn) => turn.turn_id === notice?.turn_id);
  return `${shortId(task.id)} ${ENDINGS[how]}${after}${woke ? ` and woke turn ${woke.number}` : ""}.`;
}

function list(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
