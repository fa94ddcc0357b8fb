// What stands in the place of turns: the start of a session, one that is not there, a server that does not answer.

import { emit } from "../bus.js";
import { el, icon } from "../dom.js";
import { newSession } from "../router.js";
import { hurryLine, refresh } from "../session/session.js";

const EXAMPLES = [
  ["terminal", "Run the test suite in the background and tell me what broke", "goes on when you close the tab"],
  ["watch", "Watch the server log for errors", "wakes on the first match"],
  ["agent", "Send three sub-agents to compare three libraries", "one report when all are back"],
];

const MAKE = { new: beginning, missing, unreachable, older };

export function emptyView(entry) {
  return { element: MAKE[entry.what](entry), update() {} };
}

function beginning() {
  const examples = EXAMPLES.map(([name, words, note]) =>
    el(
      "button",
      { class: "example", type: "button", onclick: () => emit("fill-composer", words) },
      icon(name),
      el("span", { text: words }),
      el("span", { class: "example__note", text: note }),
    ),
  );
  return el(
    "div",
    { class: "empty empty--page" },
    el("h2", { text: "Start something long" }),
    el("p", { text: "You can close the tab. The agent is woken when a job ends." }),
    el("div", { class: "examples" }, examples),
  );
}

function missing() {
  return instead(
    "No such session",
    "It was deleted, or it belongs to somebody else.",
    "Start a new session",
    newSession,
  );
}

function unreachable() {
  const again = () => {
    hurryLine();
    refresh();
  };
  return instead("The server does not answer", "It is asked again every few seconds.", "Try now", again);
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
