// Says why a turn failed, and that nothing is lost.

import { el, icon } from "../dom.js";
import { regenerateButton } from "./regenerating.js";

// By code: the outcome, and what holds afterwards.
const WORDS = {
  context_overflow: ["This turn does not fit.", "The session takes your next message all the same."],
  spend_limit: ["No model was asked.", "Nothing you wrote is lost."],
};
const OTHERS = ["This turn failed.", "Nothing you wrote is lost."];

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
      ...(isLast && !isLive ? [regenerateButton("Try again", "button button--small")] : []),
    );
  }
}
