// Says why a turn failed, and that nothing is lost.

import { emit } from "../bus.js";
import { el, icon } from "../dom.js";
import { regenerateButton } from "./regenerating.js";

// By code: the outcome, and what holds afterwards.
const WORDS = {
  context_overflow: ["This turn does not fit.", "The session takes your next message all the same."],
  spend_limit: ["No model was asked.", "Nothing you wrote is lost."],
};
const OTHERS = ["This turn failed.", "Nothing you wrote is lost."];

// Besides the failures of models: what another model may do better.
const MATTERS_OF_MODEL = new Set(["content_filter", "context_overflow", "output_limit"]);

export class ErrorView {
  #shown = "";

  constructor() {
    this.element = el("div", { class: "banner banner--fail" });
  }

  // `head` replaces the outcome.
  update({ messages: [message], isLast, isLive, head }) {
    const shown = JSON.stringify([message.content, message.code, isLast, isLive]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const [outcome, holds] = WORDS[message.code] ?? OTHERS;
    const text = el(
      "span",
      { class: "banner__text" },
      el("b", { text: head ?? outcome }),
      ` ${message.content} ${holds}`,
    );
    this.element.replaceChildren(
      icon("fail"),
      text,
      isLast && !isLive ? waysOn(message.code) : "",
    );
  }
}

function waysOn(code) {
  const again = regenerateButton("Try again", "button button--small");
  const change = el("button", { class: "button button--small", type: "button", text: "Change model", onclick: () => emit("change-model") });
  return el("span", { class: "banner__acts" }, again, code?.startsWith("model_") || MATTERS_OF_MODEL.has(code) ? change : null);
}
