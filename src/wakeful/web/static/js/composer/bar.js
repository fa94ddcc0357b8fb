// The bar below the message box: the mode, the model, the state of the turn, and the buttons.

import { api } from "../api.js";
import { emit, on } from "../bus.js";
import { el, icon, iconButton } from "../dom.js";
import { duration } from "../format.js";
import { connectionState } from "../stream/connection.js";
import { openSession } from "../session/state.js";
import { isSummingUp } from "../session/summaries.js";
import { tick } from "../ticker.js";
import { modeButton } from "./mode_picker.js";
import { modelButton } from "./model_picker.js";

export class ComposerBar {
  #hint = el("span", { class: "composer__hint num" });
  #stop = el(
    "button",
    { class: "button", type: "button", hidden: true, "aria-label": "Stop", onclick: stopTurn },
    icon("stop"),
    el("span", { class: "composer__word", text: "Stop" }),
    key("Esc"),
  );
  #word = el("span", { class: "composer__word", text: "Send" });
  #icon = el("span", { class: "composer__icon" });
  #send = el("button", { class: "button", type: "submit" }, this.#icon, this.#word, key("⏎"));
  #shown = "";

  // `onFiles` takes the files that the reader has chosen.
  constructor(onFiles) {
    const chooser = el("input", { type: "file", multiple: true, hidden: true, tabindex: -1 });
    chooser.addEventListener("change", () => {
      onFiles([...chooser.files]);
      chooser.value = "";
    });
    this.element = el(
      "div",
      { class: "composer__bar" },
      iconButton("clip", "Attach files", () => chooser.click(), "button--small"),
      chooser,
      modeButton(),
      modelButton(),
      this.#hint,
      el("span", { class: "composer__send" }, this.#stop, this.#send),
    );
    on("stop-turn", stopTurn);
  }

  update({ isBusy, hasText, usual }) {
    this.#send.disabled = !hasText;
    this.#send.classList.toggle("button--main", hasText);
    const { activeTurn, turns, approvals } = openSession;
    const startedAt = activeTurn && turns.get(activeTurn.turn_id)?.opened_at;
    const doing = isSummingUp(openSession) ? "sums up" : "answers";
    const state = approvals.length ? "asks" : connectionState() === "live" ? doing : "unknown";
    const shown = JSON.stringify([isBusy, usual, startedAt, state, hasText && !isBusy]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#stop.hidden = !isBusy;
    const word = isBusy ? (usual === "steer" ? "Steer" : "Queue") : "Send";
    this.#word.textContent = word;
    this.#send.ariaLabel = word;
    this.#icon.replaceChildren(icon({ Send: "send", Queue: "queue", Steer: "steer" }[word]));
    this.#hint.replaceChildren(...(isBusy ? [working(state, startedAt)] : hasText ? ["Draft kept on this device"] : []));
  }
}

// A question means that the turn waits for the reader; without a connection the state of the turn is unknown.
function working(state, startedAt) {
  if (state === "asks") return el("span", { class: "state state--needs", text: "Waits for your answer" });
  if (state === "unknown") return el("span", { text: "Was answering when the connection broke" });
  const doing = state === "sums up" ? "Summing up" : "Answering";
  const words = el("span", { text: doing });
  if (startedAt) tick(words, startedAt, (seconds) => `${doing}, ${duration(seconds)}`);
  return el("span", { class: "state state--live" }, el("span", { class: "ring" }), words);
}

async function stopTurn() {
  try {
    await api.post("/api/chat/cancel", { session_id: openSession.id });
  } catch (error) {
    emit("toast", { kind: "fail", title: "Not stopped", text: error.message });
  }
}

function key(name) {
  return el("span", { class: "kbd", "aria-hidden": "true", text: name });
}
