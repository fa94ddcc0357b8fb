// The reasoning before an answer: one line until the reader unfolds it.

import { el, icon } from "../dom.js";
import { duration } from "../format.js";
import { settings } from "../settings.js";

export class ReasoningView {
  #label = el("span");
  #text = el("p", { class: "reasoning__text" });

  constructor() {
    this.element = el(
      "details",
      { class: "reasoning fold", hidden: true, open: settings.get("reasoning") },
      el("summary", {}, icon("chevron", "fold__chevron"), this.#label),
      this.#text,
    );
  }

  update(message, isStreaming) {
    const { reasoning, thoughtSeconds, content } = message;
    this.element.hidden = !reasoning;
    if (!reasoning) return;
    if (this.#text.textContent !== reasoning) this.#text.textContent = reasoning;
    this.#label.textContent = words(isStreaming && !content, thoughtSeconds);
  }
}

function words(isThinking, seconds) {
  if (isThinking) return "Thinking";
  return seconds >= 1 ? `Thought for ${duration(seconds)}` : "Thought about it";
}
