// A turn: its time, node and rail, its items, and the line below it.

import { el, icon } from "../dom.js";
import { clock } from "../format.js";
import { openSession } from "../session/state.js";
import { AnswerView } from "./answer.js";
import { AnsweredApproval } from "./answered_approval.js";
import { ErrorView } from "./error.js";
import { FootView } from "./foot.js";
import { itemsOf } from "./items.js";
import { Keyed } from "./keyed.js";
import { RemarkView } from "./remark.js";
import { SaidView } from "./said.js";
import { SummaryView } from "./summary.js";
import { ToolsView } from "./tools.js";
import { openerOf, turnLabel } from "./turn_words.js";
import { UndoneView } from "./undone.js";
import { WakeView } from "./wake.js";

const VIEWS = {
  said: SaidView,
  wake: WakeView,
  answer: AnswerView,
  tools: ToolsView,
  summary: SummaryView,
  remark: RemarkView,
  undone: UndoneView,
  error: ErrorView,
  approval: AnsweredApproval,
  foot: FootView,
};

export class TurnView {
  #time = el("time", { class: "turn__time" });
  #node = el("span", { class: "turn__node" });
  #content = el("div", { class: "turn__items" });
  #items = new Keyed(this.#content);
  #nodeIcon = "";
  #shown = "";

  constructor({ turnId }) {
    const body = el("div", { class: "turn__body" }, this.#node, this.#content);
    this.element = el("article", { class: "turn", id: turnId, "data-turn": turnId }, this.#time, body);
  }

  update({ turnId, messages, turn, isLast, isEverywhere }) {
    // A token changes one turn out of hundreds: skip the others.
    const shown = `${isLast} ${messages.map((message) => message.rev)}`;
    if (shown === this.#shown && !isEverywhere) return;
    this.#shown = shown;
    const isLive = openSession.activeTurn?.turn_id === turnId;
    const opener = openerOf(messages, turn);
    this.#frame(messages, turn, opener, isLive);
    const answered = openSession.answered.filter((approval) => approval.turn_id === turnId);
    const items = itemsOf(
      messages.filter((message) => message.role !== "note" || message.source !== "server"),
      answered,
      turn.model_changes,
    );
    const entries = items.map((item) => ({ ...item, turn, isLive, isLast }));
    entries.push({ kind: "foot", key: "foot", messages, turn, turnId, isLive, isLast });
    this.#items.show(entries, ({ kind }) => new VIEWS[kind]());
  }

  #frame(messages, turn, opener, isLive) {
    const at = turn.opened_at ?? messages[0]?.created_at;
    if (at && this.#time.dateTime !== at) {
      this.#time.dateTime = at;
      this.#time.textContent = clock(new Date(at));
    }
    this.element.classList.toggle("turn--wake", opener.isWake);
    this.element.classList.toggle("turn--live", isLive);
    this.element.setAttribute("aria-label", turnLabel(messages, turn, isLive));
    if (isLive) this.element.setAttribute("aria-busy", "true");
    else this.element.removeAttribute("aria-busy");
    // A notice that came with a message has a node inside its card.
    this.#node.hidden = opener.icon === null;
    if (opener.icon && opener.icon !== this.#nodeIcon) this.#node.replaceChildren(icon(opener.icon));
    this.#nodeIcon = opener.icon;
  }
}
