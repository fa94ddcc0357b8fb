// The line below a turn: actions on its answer, how long it took, how many tokens it used, and what can be undone.

import { copyText } from "../clipboard.js";
import { el, icon, iconButton } from "../dom.js";
import { count, duration, money, whole } from "../format.js";
import { me } from "../me.js";
import { modelName } from "../model_names.js";
import { openSession } from "../session/state.js";
import { answeringModel } from "../session/turn_frames.js";
import { branchButton } from "./branching.js";
import { regenerateButton, regenerateIcon } from "./regenerating.js";
import { turnSeconds } from "./turn_words.js";
import { undoableCalls, undoTurn } from "./undoing.js";
import { workingKind, workingView } from "./working.js";

export class FootView {
  #shown = "";
  #messages = [];

  constructor() {
    this.element = el("div", { class: "turn__foot" });
  }

  update({ messages, turn, turnId, isLive, isLast }) {
    this.#messages = messages;
    const note = messages.find((message) => message.role === "note" && message.source === "server");
    const hasAnswer = messages.some((message) => message.role === "assistant" && message.content);
    const isOpen = isLive || turn.status === "running";
    const working = isLive ? workingKind() : "";
    const shown = JSON.stringify([
      isOpen,
      working,
      turn.opened_at,
      isLast,
      hasAnswer,
      note?.content,
      turn.closed_at,
      turn.usage,
      isOpen && turn.cutStep,
      turn.is_cut,
      unusualModel(turn),
      undoableCalls(messages).length,
    ]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const parts = isOpen ? open(turn, working) : this.#closed(turn, turnId, note, { isLast, hasAnswer });
    this.element.hidden = !parts.length;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(...parts);
    // The button that was pressed may be gone.
    if (hadFocus) this.element.querySelector("button")?.focus();
  }

  #closed(turn, turnId, note, { isLast, hasAnswer }) {
    const actions = el("span", { class: "turn__actions" });
    if (hasAnswer) actions.append(iconButton("copy", "Copy answer", () => copyText(this.#answer()), "button--small"));
    if (isLast && hasAnswer && !note) actions.append(regenerateIcon());
    if (hasAnswer) actions.append(branchButton(turnId));
    const stopped = note ? [stoppedState(note, turn)] : [];
    if (turn.is_cut) stopped.push(el("span", { class: "state state--off" }, icon("stop"), "Cut at the model’s output limit; ask it to go on"));
    if (note && isLast) stopped.push(regenerateButton("Regenerate"));
    const numbers = note ? "" : numbersOf(turn).filter(Boolean).join(" · ");
    return [
      ...stopped,
      actions.childElementCount ? actions : null,
      numbers ? el("span", { class: "num", text: numbers }) : null,
      this.#undoButton(turnId),
    ].filter(Boolean);
  }

  #undoButton(turnId) {
    const { length } = undoableCalls(this.#messages);
    if (!length) return null;
    const run = () => undoTurn(turnId, this.#messages);
    const title = "Undo covers files that the agent wrote or edited, not what commands changed.";
    return el("button", { class: "button button--quiet button--small turn__undo", type: "button", title, onclick: run }, icon("undo"), `Undo ${count(length, "edit")}`);
  }

  #answer() {
    const said = this.#messages.filter((message) => message.role === "assistant" && message.content);
    return said.map((message) => message.content).join("\n\n");
  }
}

function stoppedState(note, turn) {
  const time = secondsOf(turn);
  const words = note.content === "Stopped." ? "Stopped by you" : note.content || "Stopped";
  return el(
    "span",
    { class: "state state--off" },
    icon("stop"),
    time ? `${words.replace(/\.$/, "")} after ${time}` : words,
  );
}

function open({ cutStep, opened_at: openedAt }, working) {
  const cut = cutStep ? [el("span", { text: `Step ${cutStep} broke off and was asked again.` })] : [];
  return working ? [...cut, workingView(working, openedAt)] : cut;
}

function numbersOf(turn) {
  return [secondsOf(turn), tokensOf(turn), costOf(turn), unusualModel(turn)];
}

// The name of the model that answered, unless it is the one that the session usually has.
function unusualModel(turn) {
  const model = answeringModel(turn);
  const usual = openSession.session?.model || me.model;
  return model && usual && model !== usual ? modelName(model) : "";
}

function secondsOf(turn) {
  const seconds = turnSeconds(turn);
  return seconds === null ? "" : duration(Math.max(1, Math.round(seconds)));
}

function tokensOf({ usage }) {
  const used = usage ? usage.input_tokens + usage.output_tokens : 0;
  return used ? `${whole(used)} tokens` : "";
}

// Nothing for a free model, nor where the price is unknown.
function costOf({ usage }) {
  return usage?.cost_usd ? money(usage.cost_usd) : "";
}
