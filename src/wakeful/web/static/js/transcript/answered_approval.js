// A question that was answered, or that nobody answered in time: one line.

import { el, icon } from "../dom.js";
import { clock } from "../format.js";

const WORDS = {
  once: ["ok", "ok", "Allowed once"],
  session: ["ok", "ok", "Allowed for this session"],
  always: ["ok", "ok", "Allowed always"],
  deny: ["fail", "cross", "Denied"],
};

export class AnsweredApproval {
  constructor() {
    this.element = el("div", { class: "approval approval--done" });
  }

  update({ approval: { choice, command, at } }) {
    if (this.element.childElementCount) return;
    const [kind, name, words] = WORDS[choice] ?? ["off", "clock", "Timed out, denied"];
    const when = clock(new Date(at));
    this.element.append(
      el("span", { class: `state state--${kind}` }, icon(name), words),
      el("code", { text: command }),
      el("span", { class: "dim num", text: choice ? `by you, ${when}` : when }),
    );
  }
}
