// A message of a person or of a schedule. A person's message can be edited and sent again.

import { el, iconButton } from "../dom.js";
import { canEdit, editInPlace, isBeingEdited } from "./editing.js";

export class SaidView {
  #text = el("p", { class: "said" });
  #rev = -1;
  #message = null;
  #button = iconButton("edit", "Edit this message", () => this.edit(), "button--small");

  constructor() {
    this.element = el("div", { class: "said__row" }, this.#text, this.#button);
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
  }

  edit(how) {
    if (!this.#button.hidden) editInPlace(this.element, this.#message, () => this.#button.focus(), how);
  }
}
