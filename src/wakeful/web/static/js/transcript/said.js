// A message of a person or of a schedule. A person's message can be edited and sent again.

import { el, iconButton } from "../dom.js";
import { fileElements } from "../files.js";
import { canEdit, editInPlace, isBeingEdited } from "./editing.js";

export class SaidView {
  #text = el("p", { class: "said" });
  #files = el("div", { class: "said__files", hidden: true });
  #rev = -1;
  #message = null;
  #button = iconButton("edit", "Edit this message", () => this.edit(), "button--small");

  constructor() {
    this.element = el("div", { class: "said__row" }, this.#text, this.#files, this.#button);
    this.element.addEventListener("edit-message", () => this.edit());
  }

  update({ messages: [message], isLive }) {
    this.#message = message;
    this.#button.hidden = isLive || !canEdit(message);
    this.element.dataset.editable = String(canEdit(message));
    if (this.#rev === -1 && canEdit(message) && isBeingEdited(message)) this.edit({ takesFocus: false });
    if (message.rev === this.#rev) return;
    this.#rev = message.rev;
    this.element.dataset.message = message.id;
    const words = message.source === "cron" ? `Scheduled: ${message.content}` : message.content;
    if (this.#text.textContent !== words) this.#text.textContent = words;
    this.#text.hidden = !words && message.attachments.length > 0;
    this.#files.hidden = !message.attachments.length;
    this.#files.replaceChildren(...fileElements(message.attachments));
  }

  edit(how) {
    if (!this.#button.hidden) editInPlace(this.element, this.#message, () => this.#button.focus(), how);
  }
}
