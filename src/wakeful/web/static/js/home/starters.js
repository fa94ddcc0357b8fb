// Things to try on the first day: real sessions with the built-in scripted model, which needs no key and sends nothing
// anywhere. Each shows within seconds what the server is for.

import { api } from "../api.js";

// The sessions that were started from here. They do not count as the reader's own.
const KEY = "wakeful.starters";
const MOST_KEPT = 50;
const MODEL = "demo:wakeful";

const JOB = 'for i in 1 2 3 4 5; do echo "part $i of 5"; sleep 1; done';
const LOG = "for level in INFO INFO ERROR INFO INFO; do echo $level request; sleep 1; done";
const DELETE = "mkdir -p /tmp/wakeful-example && rm -r /tmp/wakeful-example";

export const STARTERS = [
  {
    name: "job",
    icon: "wake",
    title: "A job that wakes the agent",
    about: "It starts a job of 5 s and stops. When the job ends, the agent is woken and tells you. You may close this tab.",
    start: "Start the job",
    done: "Woken when the job ended",
    words: `Run \`${JOB}\` in the background and tell me when it ends.`,
  },
  {
    name: "watch",
    icon: "watch",
    title: "A watch on a log",
    about: "It watches what a program prints. The first line with ERROR wakes the agent, and the program goes on.",
    start: "Start watching",
    done: "Woken by the line with ERROR",
    words: `Watch \`${LOG}\` for ERROR and tell me what it printed.`,
  },
  {
    name: "agents",
    icon: "agent",
    title: "Two sub-agents",
    about: "It sends two sub-agents off and does not wait for them. Each wakes it with a report.",
    start: "Send them off",
    done: "Both have reported",
    words: "Delegate run `sleep 2 && uname -s`; list files in the background.",
  },
  {
    name: "approval",
    icon: "shield",
    title: "An approval",
    about: "It wants to delete an empty folder in /tmp and asks first. Deny it or allow it; either way it goes on.",
    start: "Let it ask",
    done: "Answered, and it went on",
    words: `Run \`${DELETE}\``,
  },
];

// Returns the id of the session.
export async function start({ name, title, words }) {
  const { session_id: id } = await api.post("/api/session/new", { model: MODEL, title });
  keep(name, id);
  await api.post("/api/chat/start", { session_id: id, message: words });
  return id;
}

// The newest session of a starter, or null.
export function startedBy(name) {
  return kept().findLast((one) => one.name === name)?.id ?? null;
}

export function isStarted(id) {
  return kept().some((one) => one.id === id);
}

function keep(name, id) {
  localStorage.setItem(KEY, JSON.stringify([...kept(), { name, id }].slice(-MOST_KEPT)));
}

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    // Written by something else, or cut off.
    return [];
  }
}
