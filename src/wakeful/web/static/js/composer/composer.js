// The message box. Enter sends, or queues while a turn runs; Ctrl and Enter steers; what is written is never lost.

import { emit, on } from "../bus.js";
import { el } from "../dom.js";
import { openSession } from "../session/state.js";
import { settings } from "../settings.js";
import { ComposerBar } from "./bar.js";
import { draftOf, keepDraft } from "./drafts.js";
import { put } from "./outbox.js";

export function startComposer(form) {
  new Composer(form);
}

class Composer {
  #box;
  #bar;
  // The session that the text in the box is for.
  #session = null;

  constructor(form) {
    this.#box = el("textarea", { class: "composer__text", id: "message", rows: 1, placeholder: "Message" });
    this.#bar = new ComposerBar();
    form.replaceChildren(
      el("label", { class: "sr-only", for: "message", text: "Message" }),
      this.#box,
      this.#bar.element,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(this.#usual());
    });
    this.#box.addEventListener("keydown", (event) => this.#onKey(event));
    this.#box.addEventListener("input", () => this.#changed());
    on("session-opened", ({ id }) => this.#open(id));
    on("session-begun", ({ id }) => (this.#session ??= id));
    on("session-changed", () => this.#update());
    on("fill-composer", (text) => this.#fill(text));
    on("outbox-refused", ({ entry }) => this.#fill(entry.text));
  }

  #open(id) {
    this.#session = id;
    this.#box.value = draftOf(id);
    this.#update();
    // Whoever walks through the sessions with keys goes on walking; on a phone the keyboard would cover the page.
    if (!id && matchMedia("(pointer: fine)").matches) this.#box.focus({ preventScroll: true });
  }

  // Whatever was being written stays, below what is put there.
  #fill(text) {
    const written = this.#box.value.trim();
    this.#box.value = written && written !== text ? `${text}\n${this.#box.value}` : text;
    this.#changed();
    this.#box.focus();
    this.#box.setSelectionRange(text.length, text.length);
  }

  #changed() {
    keepDraft(this.#session, this.#box.value);
    this.#update();
  }

  #update() {
    const isBusy = Boolean(openSession.activeTurn);
    const words = isBusy
      ? this.#usual() === "steer"
        ? "Message; the running turn will read it"
        : "Message; it will be queued"
      : "Message";
    if (this.#box.placeholder !== words) this.#box.placeholder = words;
    this.#bar.update({ isBusy, hasText: Boolean(this.#box.value.trim()), usual: this.#usual() });
    this.#grow();
  }

  // Where the browser does not do it by itself.
  #grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.#box.style.height = "auto";
    this.#box.style.height = `${this.#box.scrollHeight}px`;
  }

  #usual() {
    return settings.get("busy") === "steer" ? "steer" : "queue";
  }

  #send(ifBusy) {
    const text = this.#box.value.trim();
    if (!text || !this.#put(text, ifBusy)) return;
    this.#box.value = "";
    this.#changed();
    emit("sent");
  }

  #put(text, ifBusy) {
    try {
      put({ session: this.#session, text, ifBusy });
      return true;
    } catch {
      const words = "It is more than this browser can keep. Give the agent a file instead, or send it in parts.";
      emit("toast", { kind: "fail", title: "Not sent", text: words });
      return false;
    }
  }

  #onKey(event) {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.#send(event.ctrlKey || event.metaKey ? "steer" : this.#usual());
    } else if (event.key === "ArrowUp" && !this.#box.value) {
      event.preventDefault();
      emit("edit-last");
    }
  }
}
