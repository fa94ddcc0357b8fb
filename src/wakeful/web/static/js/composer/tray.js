// The files that go with the next message: chosen, dropped or pasted, uploaded at once, and kept with the draft.

import { emit } from "../bus.js";
import { el, icon, iconButton } from "../dom.js";
import { isPicture, sizeWords } from "../files.js";
import { newId } from "../ids.js";
import { filesOf, keepFiles } from "./drafts.js";
import { upload } from "./upload.js";

const MOST = 10;

export class Tray {
  #session = null;
  // {key, name, size, type, id?, url?, part?, error?, again?, cancel?}: without `id` it is on its way; `again` uploads a file
  // for which the server did not answer.
  #files = [];
  #changed;

  constructor(changed) {
    this.#changed = changed;
    this.element = el("div", { class: "attached", hidden: true });
  }

  get ready() {
    return this.#files.filter(({ id }) => id).map(({ id, name, type, size, url }) => ({ id, name, type, size, url }));
  }

  get isUploading() {
    return this.#files.some(({ id, error }) => !id && !error);
  }

  // Shows the files of another draft. What is still on its way belongs to the draft that was left, and stops.
  open(session) {
    for (const { cancel, id } of this.#files) if (!id) cancel?.();
    this.#session = session;
    this.#files = filesOf(session).map((file) => ({ ...file, key: file.id }));
    this.#draw();
  }

  // The draft's session exists now.
  name(session) {
    keepFiles(null, []);
    this.#session ??= session;
    this.#keep();
  }

  put(files) {
    const known = new Set(this.#files.map(({ id }) => id));
    this.#files.push(...files.filter(({ id }) => !known.has(id)).map((file) => ({ ...file, key: file.id })));
    this.#keep();
  }

  clear() {
    this.#files = this.#files.filter(({ id, error }) => !id && !error);
    this.#keep();
  }

  add(chosen) {
    const room = MOST - this.#files.filter(({ error }) => !error).length;
    for (const file of chosen.slice(0, Math.max(0, room))) this.#upload(file);
    if (chosen.length > room) {
      emit("toast", { kind: "fail", title: "Not all are attached", text: `A message may have ${MOST} files.` });
    }
    this.#draw();
  }

  #upload(file) {
    const entry = { key: newId("file"), name: file.name || "pasted.png", size: file.size, type: file.type };
    this.#files.push(entry);
    this.#send(file, entry);
  }

  #send(file, entry) {
    Object.assign(entry, { part: 0, error: null, again: null });
    const { done, cancel } = upload(file, entry.name, this.#session, (part) => this.#update(entry, { part }));
    entry.cancel = cancel;
    done.then(
      (taken) => this.#update(entry, { ...taken, url: `/api/attachments/${taken.id}` }),
      (error) => error.name !== "AbortError" && this.#update(entry, { error: error.message, again: error.status ? null : () => this.#send(file, entry) }),
    );
  }

  #update(entry, fields) {
    if (!this.#files.includes(entry)) return;
    Object.assign(entry, fields);
    if (fields.part === undefined) this.#keep();
    else this.#draw();
  }

  #remove(entry) {
    if (!entry.id) entry.cancel?.();
    this.#files = this.#files.filter((one) => one !== entry);
    this.#keep();
  }

  #again(entry) {
    entry.again();
    this.#draw();
  }

  #keep() {
    keepFiles(this.#session, this.ready);
    this.#draw();
  }

  #draw() {
    this.element.hidden = !this.#files.length;
    this.element.replaceChildren(...this.#files.map((entry) => this.#chip(entry)));
    this.#changed();
  }

  #chip(entry) {
    const label = entry.id || entry.error ? `Remove ${entry.name}` : `Stop uploading ${entry.name}`;
    return el(
      "span",
      { class: entry.error ? "attach attach--fail" : "attach" },
      el("span", { class: "attach__icon" }, thumbnail(entry)),
      el("span", { class: "attach__name", text: entry.name, title: entry.name }),
      note(entry),
      el(
        "span",
        { class: "attach__acts" },
        entry.again && iconButton("again", `Upload ${entry.name} again`, () => this.#again(entry), "button--small"),
        iconButton("cross", label, () => this.#remove(entry), "button--small"),
      ),
    );
  }
}

function thumbnail(entry) {
  if (entry.error) return icon("fail");
  return entry.id && isPicture(entry) ? el("img", { src: entry.url, alt: "" }) : icon("file");
}

function note(entry) {
  if (entry.error) return el("span", { class: "attach__note", role: "alert", text: entry.error });
  if (entry.id) return el("span", { class: "attach__note", text: sizeWords(entry.size) });
  return el("progress", { class: "progress", max: 100, value: Math.round(entry.part * 100), "aria-label": "Uploading" });
}
