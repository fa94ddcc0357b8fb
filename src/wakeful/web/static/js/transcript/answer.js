// An answer: folded reasoning, then blocks of html that the server rendered and sanitized. Unchanged blocks keep their
// elements, so the selection and the scroll position survive the stream.

import { el } from "../dom.js";
import { setHtml } from "../trusted.js";
import { addCodeBars } from "./code.js";
import { linkNotes } from "./notes.js";
import { ReasoningView } from "./reasoning.js";

export class AnswerView {
  #reasoning = new ReasoningView();
  #prose = el("div", { class: "prose" });
  #caret = el("span", { class: "caret", "aria-hidden": "true" });
  // [{html, elements}]
  #blocks = [];
  #isPlain = false;
  #rev = -1;

  constructor() {
    this.element = el("div", { class: "answer" }, this.#reasoning.element, this.#prose);
  }

  update({ messages: [message], isLive }) {
    const isStreaming = isLive && message.isOpen;
    if (message.rev !== this.#rev) {
      this.#rev = message.rev;
      this.element.dataset.message = message.id;
      this.#reasoning.update(message, isStreaming);
      this.#show(message);
      this.#prose.hidden = !message.content && !this.#blocks.length && !isStreaming;
    }
    this.#placeCaret(isStreaming && Boolean(message.content));
  }

  #show(message) {
    const blocks = message.html !== null ? [message.html] : message.blocks;
    if (!blocks) {
      this.#showPlain(message.content);
      return;
    }
    if (this.#isPlain) this.#clear();
    // The stored html usually equals the streamed blocks joined.
    if (blocks.length === 1 && blocks[0] === this.#blocks.map((block) => block.html).join("")) return;
    const open = this.#openFolds();
    let same = 0;
    while (same < blocks.length && this.#blocks[same]?.html === blocks[same]) same += 1;
    for (const block of this.#blocks.splice(same)) for (const element of block.elements) element.remove();
    for (const html of blocks.slice(same)) this.#append(html);
    this.#folds().forEach((fold, index) => (fold.open ||= open.has(index)));
  }

  // Unfolded parts stay unfolded when they are redrawn.
  #openFolds() {
    return new Set(this.#folds().flatMap((fold, index) => (fold.open ? [index] : [])));
  }

  #folds() {
    return [...this.#prose.querySelectorAll("details")];
  }

  #append(html) {
    const holder = document.createElement("div");
    setHtml(holder, html);
    addCodeBars(holder);
    labelTables(holder);
    linkNotes(holder, this.element.dataset.message);
    const elements = [...holder.childNodes];
    this.#prose.append(...elements);
    this.#blocks.push({ html, elements });
  }

  // Until the server has sent the html.
  #showPlain(text) {
    this.#clear();
    this.#isPlain = true;
    this.#prose.classList.add("prose--plain");
    this.#prose.textContent = text;
  }

  #clear() {
    this.#blocks = [];
    this.#isPlain = false;
    this.#prose.classList.remove("prose--plain");
    this.#prose.replaceChildren();
  }

  // At the end of the last line of text, however deeply it is nested.
  #placeCaret(isWanted) {
    if (!isWanted) {
      this.#caret.remove();
      return;
    }
    let target = this.#prose;
    while (CONTAINERS.has(target.lastElementChild?.localName) && target.lastElementChild !== this.#caret)
      target = target.lastElementChild;
    if (this.#caret.parentNode !== target || this.#caret.nextSibling) target.append(this.#caret);
  }
}

// Wide tables and formulas scroll inside, with the keyboard as well, so they need a name.
function labelTables(holder) {
  for (const table of holder.querySelectorAll(".table")) {
    table.setAttribute("role", "region");
    table.setAttribute("aria-label", "Table");
  }
  for (const formula of holder.querySelectorAll(".formula")) {
    formula.setAttribute("role", "group");
    formula.setAttribute("aria-label", "Formula");
  }
}

const CONTAINERS = new Set(["p", "ul", "ol", "li", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"]);
