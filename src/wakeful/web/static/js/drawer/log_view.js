// The output of a task as it grows. Fetched only while it is in view and until the task has ended.

import { AnsiWriter } from "../ansi/writer.js";
import { api } from "../api.js";
import { el } from "../dom.js";

const ASK_MS = 1000;
// The page would be slow with more than this.
const MOST_CHARACTERS = 200_000;

export class LogView {
  element;
  isFollowing = true;
  bytes = 0;
  #task;
  #writer;
  #shown = 0;
  #timer = 0;
  #hasEnded = false;
  #onChange;

  constructor(taskId, label, onChange = () => {}) {
    this.#task = taskId;
    this.#onChange = onChange;
    this.element = el("pre", { class: "log", tabindex: 0, "aria-label": label, onscroll: () => this.#scrolled() });
    this.#writer = new AnsiWriter(this.element);
  }

  start() {
    if (!this.#timer && !this.#hasEnded) this.#ask();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  follow() {
    this.isFollowing = true;
    this.element.scrollTop = this.element.scrollHeight;
    this.#onChange();
  }

  async #ask() {
    // Set while a request is under way, so a second start does nothing.
    this.#timer = -1;
    try {
      if (!document.hidden && this.element.isConnected) await this.#read();
    } catch (error) {
      console.info("could not fetch the output:", error.message);
    }
    this.#timer = this.#hasEnded || this.#timer === 0 ? 0 : setTimeout(() => this.#ask(), ASK_MS);
  }

  async #read() {
    for (;;) {
      const page = await api.get(`/api/tasks/${encodeURIComponent(this.#task)}/log`, { offset: this.bytes });
      if (page.output) this.#show(page.output);
      const isWhole = page.next_offset === this.bytes;
      this.bytes = page.next_offset;
      this.#hasEnded = page.ended && isWhole;
      this.#onChange();
      if (isWhole) return;
    }
  }

  #show(text) {
    this.#shown += text.length;
    if (this.#shown > MOST_CHARACTERS) {
      this.element.replaceChildren(el("span", { class: "ansi-dim", text: "… the beginning is no longer shown\n" }));
      this.#writer = new AnsiWriter(this.element);
      this.#shown = text.length;
    }
    this.#writer.write(text);
    if (this.isFollowing) this.element.scrollTop = this.element.scrollHeight;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 24;
    if (isAtEnd === this.isFollowing) return;
    this.isFollowing = isAtEnd;
    this.#onChange();
  }
}
