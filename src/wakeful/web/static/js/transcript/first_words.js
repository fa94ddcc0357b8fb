// The first message of a session, shown from the moment it is sent until the server lists it.

import { emit, on } from "../bus.js";
import { el, icon } from "../dom.js";
import { fileElements } from "../files.js";
import { clock } from "../format.js";
import { isBeginning } from "../router.js";
import { openSession } from "../session/state.js";

// {id, session, text, at}, or null.
let sent = null;

export function startFirstWords() {
  on("sent", (entry) => {
    if (!entry || openSession.messages.length || openSession.activeTurn) return;
    sent = { ...entry };
    emit("session-changed", ["messages"]);
  });
  on("session-begun", ({ id }) => isBeginning() && sent && (sent.session ??= id));
  on("outbox-refused", ({ entry }) => entry.id === sent?.id && (sent = null));
  on("route", ({ id }) => sent?.session !== id && (sent = null));
}

// The entry to show instead of turns, or null.
export function firstWords() {
  const isHere = sent && sent.session === openSession.id && !openSession.messages.length && !openSession.activeTurn;
  return isHere ? { key: `first:${sent.id}`, what: "first", text: sent.text, files: sent.files ?? [], at: sent.at } : null;
}

// Looks like a turn that a person opened.
export function firstTurn({ text, files, at }) {
  const node = el("span", { class: "turn__node" }, icon("person"));
  const shown = el("div", { class: "said__files", hidden: !files.length }, ...fileElements(files));
  const said = el("div", { class: "said__row" }, text && el("p", { class: "said", text }), shown);
  const body = el("div", { class: "turn__body" }, node, el("div", { class: "turn__items" }, said));
  const time = el("time", { class: "turn__time", text: clock(new Date(at)) });
  return el("article", { class: "turn", "aria-label": "Your message, on its way" }, time, body);
}
