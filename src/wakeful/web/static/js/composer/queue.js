// One chip for each message that waits for its turn or for the server.

import { api } from "../api.js";
import { emit, on } from "../bus.js";
import { el, icon, iconButton } from "../dom.js";
import { connectionState } from "../stream/connection.js";
import { openSession } from "../session/state.js";
import { firstWords } from "../transcript/first_words.js";
import { Keyed } from "../transcript/keyed.js";
import { entries, put, takeBack } from "./outbox.js";

// A message that the server takes within this time is not shown as being sent.
const SENDING_MS = 300;

export function startQueue(element) {
  const chips = new Keyed(element);
  const draw = () => chips.show([...queuedChips(), ...outboxChips()], makeChip);
  on("session-opened", draw);
  on("session-changed", (changed) => changed.includes("queued") && draw());
  on("connection", draw);
  on("outbox-changed", () => {
    draw();
    setTimeout(draw, SENDING_MS);
  });
  on("outbox-sent", ({ entry, answer }) => {
    if (!answer?.queued || answer.session_id !== openSession.id) return;
    if (openSession.queued.some((queued) => queued.turn_id === answer.turn_id) || openSession.turns.has(answer.turn_id))
      return;
    const queued = { turn_id: answer.turn_id, message: entry.text, source: "user", attachments: entry.files };
    openSession.queued = [...openSession.queued, queued];
    emit("session-changed", ["queued"]);
  });
}

function queuedChips() {
  const { queued } = openSession;
  return queued.map((entry, index) => ({
    key: entry.turn_id,
    queued: entry,
    label: queued.length > 1 ? `Queued ${index + 1}` : "Queued",
  }));
}

function outboxChips() {
  const isLive = connectionState() === "live";
  // The transcript already shows the first message of a session.
  if (isLive && firstWords()) return [];
  const mine = entries().filter(
    (entry) => entry.session === openSession.id && !entry.refused && (!isLive || Date.now() - entry.at >= SENDING_MS),
  );
  return mine.map((entry) => ({ key: entry.id, entry, isLive, label: isLive ? "Sending" : "Kept until online" }));
}

function makeChip() {
  const element = el("div", { class: "queued", role: "group" });
  let shown = "";
  return {
    element,
    update(chip) {
      const now = JSON.stringify([chip.label, chip.queued, chip.entry]);
      if (now === shown) return;
      shown = now;
      element.setAttribute("aria-label", chip.queued ? "Queued message" : "Message on its way");
      element.replaceChildren(...(chip.queued ? queuedParts(chip) : outboxParts(chip)));
    },
  };
}

function queuedParts({ queued, label }) {
  const steer = el(
    "button",
    {
      class: "button button--quiet button--small queued__steer",
      type: "button",
      "aria-label": "Steer now with this message",
      title: "The running turn reads it at its next step",
      onclick: () => steerNow(queued),
    },
    icon("steer"),
    el("span", { class: "only-desktop", text: "Steer now" }),
  );
  const edit = iconButton("edit", "Edit queued message", () => editQueued(queued), "button--small");
  const withdraw = iconButton("cross", "Withdraw queued message", () => withdrawQueued(queued), "button--small");
  return [icon("queue"), ...words(label, queued.message, queued.attachments), el("span", { class: "queued__acts" }, steer, edit, withdraw)];
}

function outboxParts({ entry, isLive, label }) {
  const back = () => takeBack(entry.id) && giveBack(entry.text, entry.files);
  const acts = isLive
    ? null
    : el("span", { class: "queued__acts" }, iconButton("cross", "Take this message back", back, "button--small"));
  return [isLive ? el("span", { class: "ring" }) : icon("unplug"), ...words(label, entry.text, entry.files), acts].filter(Boolean);
}

function words(label, text, files = []) {
  const shown = [text, ...files.map(({ name }) => name)].filter(Boolean).join(", ");
  return [el("span", { class: "queued__label", text: label }), el("span", { class: "queued__text", text: shown })];
}

function giveBack(text, files = []) {
  emit("fill-tray", files);
  emit("fill-composer", text);
}

// Sends the text as a new message that the running turn may read.
function steerNow(queued) {
  leaveQueue(queued);
  const { message: text, attachments: files } = queued;
  put({ session: openSession.id, text, files, ifBusy: "steer", withdraw: queued.turn_id });
}

async function editQueued(queued) {
  if (await withdrawQueued(queued)) giveBack(queued.message, queued.attachments);
}

async function withdrawQueued(queued) {
  try {
    await api.post("/api/chat/withdraw", { session_id: openSession.id, turn_id: queued.turn_id });
    leaveQueue(queued);
    return true;
  } catch (error) {
    const text = error.code === "not_queued" ? "Its turn has already begun." : error.message;
    emit("toast", { kind: "fail", title: "Not withdrawn", text });
    return false;
  }
}

function leaveQueue(queued) {
  openSession.queued = openSession.queued.filter((one) => one.turn_id !== queued.turn_id);
  emit("session-changed", ["queued"]);
}
