// A summary: one line where it was made, with the text that the agent reads from there on.

import { el, icon } from "../dom.js";
import { tick } from "../ticker.js";
import { runningSize, summarySize, summaryTitle } from "./summary_words.js";

const STAYS = "This is what the agent reads from here on. Everything above stays in the session, in searches and in exports.";

export class SummaryView {
  #sign = el("span", { class: "compaction__sign" });
  #title = el("b");
  #text = el("p", { class: "compaction__words" });
  #rev = -1;

  constructor() {
    const line = el("summary", {}, this.#sign, this.#title, icon("chevron", "fold__chevron"));
    // There is nothing to unfold before the text is known.
    line.addEventListener("click", (event) => this.#text.textContent || event.preventDefault());
    const body = el("div", { class: "compaction__text" }, this.#text, el("p", { class: "compaction__note", text: STAYS }));
    this.element = el("details", { class: "compaction fold" }, line, body);
  }

  update({ messages: [message] }) {
    if (message.rev === this.#rev) return;
    this.#rev = message.rev;
    this.element.dataset.message = message.id;
    this.element.classList.toggle("compaction--empty", !message.content);
    this.#sign.replaceChildren(message.isOpen ? running() : icon("fold"));
    this.#title.textContent = summaryTitle(message);
    this.#text.textContent = message.content;
    this.element.querySelector(".compaction__size")?.remove();
    this.#title.after(size(message));
  }
}

// A running time ticks in its element for as long as that is on the page: each state has an element of its own.
function size(message) {
  const words = el("span", { class: "compaction__size dim num" });
  if (message.isOpen) tick(words, message.created_at, (seconds) => runningSize(message, seconds));
  else words.textContent = summarySize(message);
  return words;
}

function running() {
  return el("span", { class: "state state--live" }, el("span", { class: "ring" }));
}
