// One line for a question that was answered or has expired.

import { answeredState } from "../approvals/approval_words.js";
import { el } from "../dom.js";
import { clock } from "../format.js";
import { stateChip } from "./state_chip.js";

export class AnsweredApproval {
  constructor() {
    this.element = el("div", { class: "approval approval--done" });
  }

  update({ approval }) {
    if (this.element.childElementCount) return;
    const when = clock(new Date(approval.at));
    this.element.append(
      stateChip(answeredState(approval)),
      el("code", { text: approval.command }),
      el("span", { class: "dim num", text: approval.isMine ? `by you, ${when}` : when }),
    );
  }
}
