// The message box. Enter sends, or queues while a turn runs; Ctrl+Enter steers. A draft is never lost.

import { emit, on } from "../bus.js";
import { el } from "../dom.js";
import { beginSession, isBeginning, isHome } from "../router.js";
import { openSession } from "../session/state.js";
import { settings } from "../settings.js";
import { ComposerBar } from "./bar.js";
import { draftOf, keepDraft } from "./drafts.js";
import { takeDrops, takePasted } from "./dropping.js";
import { takeModeForNew } from "./mode_picker.js";
import { put } from "./outbox.js";
import { Tray } from "./tray.js";

const WHILE_BUSY = { queue: "Message; it waits for this turn", steer: "Message; it is read at the next step" };

export function startComposer(form) {
  new Composer(form);
}

class Composer {
  #box;
  #bar;
  #tray = new Tray(() => this.#bar && this.#update());
  // The session that the text in the box is for.
  #session = null;

  constructor(form) {
    this.#box = el("textarea", { class: "composer__text", id: "message", rows: 1, placeholder: "Message" });
    this.#bar = new ComposerBar((files) => this.#tray.add(files));
    form.replaceChildren(
      this.#tray.element,
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
    takePasted(this.#box, (files) => this.#tray.add(files));
    takeDrops(form.closest(".chat"), (files) => this.#tray.add(files));
    on("session-opened", ({ id }) => this.#open(id));
    on("session-begun", ({ id }) => isBeginning() && this.#name(id));
    on("route", ({ writes }) => writes && this.#box.focus({ preventScroll: true }));
    on("session-changed", () => this.#update());
    on("connection", () => this.#update());
    on("fill-composer", (text) => this.#fill(text));
    on("outbox-refused", ({ entry }) => this.#giveBack(entry));
    on("fill-tray", (files) => this.#tray.put(files));
  }

  #open(id) {
    this.#session = id;
    this.#box.value = draftOf(id);
    this.#tray.open(id);
    this.#update();
  }

  #giveBack({ text, files = [] }) {
    this.#tray.put(files);
    this.#fill(text);
  }

  // Text written while the session was being made belongs to it.
  #name(id) {
    this.#session ??= id;
    keepDraft(null, "");
    keepDraft(id, this.#box.value);
    this.#tray.name(id);
  }

  // Puts the text above the draft.
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
    const words = isBusy ? WHILE_BUSY[this.#usual()] : this.#session ? "Message" : "Start something";
    if (this.#box.placeholder !== words) this.#box.placeholder = words;
    this.#bar.update({ isBusy, hasText: this.#hasMessage(), usual: this.#usual() });
    this.#grow();
  }

  // For browsers without `field-sizing`.
  #grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.#box.style.height = "auto";
    this.#box.style.height = `${this.#box.scrollHeight}px`;
  }

  #usual() {
    return settings.get("busy") === "steer" ? "steer" : "queue";
  }

  // A file without words is a message; one that is still on its way is waited for.
  #hasMessage() {
    return !this.#tray.isUploading && Boolean(this.#box.value.trim() || this.#tray.ready.length);
  }

  #send(ifBusy) {
    const entry = this.#hasMessage() && this.#put(this.#box.value.trim(), ifBusy);
    if (!entry) return;
    this.#box.value = "";
    this.#tray.clear();
    this.#changed();
    if (isHome()) beginSession();
    emit("sent", entry);
  }

  #put(text, ifBusy) {
    try {
      const mode = this.#session ? undefined : takeModeForNew();
      return put({ session: this.#session, text, ifBusy, mode, files: this.#tray.ready });
    } catch {
      const words = "The message is too long for this browser's storage. Give the agent a file instead, or send it in parts.";
      emit("toast", { kind: "fail", title: "Not sent", text: words });
      return null;
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
