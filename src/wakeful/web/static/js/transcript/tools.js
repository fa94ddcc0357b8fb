// Consecutive calls inside one border.

import { el } from "../dom.js";
import { Keyed } from "./keyed.js";
import { ToolView } from "./tool.js";

export class ToolsView {
  #tools;

  constructor() {
    this.element = el("div", { class: "tools" });
    this.#tools = new Keyed(this.element);
  }

  update({ messages }) {
    const entries = messages.map((message) => ({ key: message.id, message }));
    this.#tools.show(entries, () => new ToolView());
  }
}
