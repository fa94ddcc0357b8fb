// Views for a transcript without turns: a new session, a missing session, an unreachable server.

import { el } from "../dom.js";
import { newSession } from "../router.js";
import { retryNow, refresh } from "../session/session.js";
import { firstTurn } from "./first_words.js";

const HINT =
  "What the agent should know in every conversation goes into instructions.md in the server’s folder; what it needs for a project, into the project’s AGENTS.md.";

const MAKE = { new: beginning, first: firstTurn, missing, unreachable, older };

export function emptyView(entry) {
  return { element: MAKE[entry.what](entry), update() {} };
}

function beginning() {
  return el(
    "div",
    { class: "empty empty--page" },
    el("h2", { text: "Nothing has been said yet" }),
    el("p", { text: "You can close the tab at any time. The agent is woken when a job ends." }),
    el("p", { class: "dim", text: HINT }),
  );
}

function missing() {
  return instead(
    "No such session",
    "It was deleted, or it belongs to another person.",
    "Start a new session",
    newSession,
  );
}

function unreachable() {
  const again = () => {
    retryNow();
    refresh();
  };
  return instead("The server does not answer", "The page tries again every few seconds.", "Try now", again);
}

function older({ paging }) {
  return el("button", {
    class: "button button--quiet button--small older",
    type: "button",
    text: "Show earlier messages",
    onclick: () => paging.load(),
  });
}

function instead(title, words, action, onclick) {
  return el(
    "div",
    { class: "empty empty--page" },
    el("h2", { text: title }),
    el("p", { text: words }),
    el("button", { class: "button", type: "button", text: action, onclick }),
  );
}
