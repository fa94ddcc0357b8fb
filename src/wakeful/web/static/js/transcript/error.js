// Says why a turn failed, and that nothing is lost.

import { el, icon } from "../dom.js";
import { regenerateButton } from "./regenerating.js";

export class ErrorView {
  #shown = "";

  constructor() {
    this.element = el("div", { class: "banner banner--fail" });
  }

  update({ messages: [message], isLast, isLive }) {
    const shown = JSON.stringify([message.content, isLast, isLive]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const text = el(
      "span",
      { class: "banner__text" },
      el("b", { text: "This turn failed." }),
      ` ${message.content} Nothing you wrote is lost.`,
    );
    this.element.replaceChildren(
      icon("fail"),
      text,
      ...(isLast && !isLive ? [regenerateButton("Try again", "button button--small")] : []),
    );
  }
}
