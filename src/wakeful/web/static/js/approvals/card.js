// One question: who asks, what would happen, every danger in it, and the time left. No answer is the default.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { el, icon } from "../dom.js";
import { countdown } from "../format.js";
import { closeApproval } from "../session/session_frames.js";
import { openSession } from "../session/state.js";
import { tick } from "../ticker.js";
import { askerOf, choicesOf, longerChoices, onceWords, shortPath } from "./approval_words.js";
import { dangerList, subjectView } from "./subject.js";

const ANSWERS = { deny: "Deny", once: "Allow once" };

export class ApprovalCard {
  #position = el("span", { class: "approval__position" });

  constructor() {
    this.element = el("section", { class: "approval", "aria-label": "Approval needed" });
  }

  // `position` among several questions: "1 of 3".
  update({ approval, position = "" }) {
    this.#position.textContent = position;
    this.#position.hidden = !position;
    if (this.element.childElementCount) return;
    this.element.append(head(approval, this.#position), subjectView(approval), dangerList(approval), this.#acts(approval));
  }

  // The longer choices unfold inside the card: a menu would hide the command.
  #acts(approval) {
    const longer = longerChoices(approval);
    const possible = Object.keys(ANSWERS).filter((choice) => choicesOf(approval).includes(choice));
    return el(
      "div",
      { class: "approval__acts" },
      el("span", { class: "approval__hint", text: onceWords(approval) }),
      possible.map((choice) => this.#button(approval, choice, ANSWERS[choice], "button button--ink")),
      longer.length > 0 && this.#longer(approval, longer),
    );
  }

  #longer(approval, choices) {
    const rows = choices.map(({ choice, lead, words, button }) =>
      el(
        "div",
        { class: "longer__row" },
        el("p", {}, lead && el("b", { text: lead }), lead ? ` ${words}` : words),
        this.#button(approval, choice, button, "button"),
      ),
    );
    return el(
      "details",
      { class: "approval__more" },
      el("summary", { class: "button button--quiet" }, "Allow for longer", icon("down")),
      el("div", { class: "longer" }, rows),
    );
  }

  #button(approval, choice, text, kind) {
    return el("button", { class: kind, type: "button", text, onclick: () => this.#answer(approval, choice) });
  }

  async #answer(approval, choice) {
    this.#disable(true);
    // The answer's event may arrive before the response to our request.
    approval.isMine = true;
    try {
      const session_id = approval.session_id ?? openSession.id;
      await api.post("/api/approval/respond", { session_id, call_id: approval.call_id, choice });
      if (session_id === openSession.id) close(approval, choice);
      else emit("session-changed", ["approvals"]);
    } catch (error) {
      this.#disable(false);
      approval.isMine = false;
      emit("toast", {
        kind: "fail",
        title: "Not answered",
        text: error.code === "already_answered" ? "It has already been answered elsewhere." : error.message,
      });
    }
  }

  #disable(isDisabled) {
    for (const button of this.element.querySelectorAll("button")) button.disabled = isDisabled;
  }
}

function close(approval, choice) {
  closeApproval(openSession, approval.call_id, choice);
  emit("session-changed", ["approvals", "messages"]);
  // On a phone the keyboard would cover what happens next.
  if (matchMedia("(pointer: fine)").matches) document.getElementById("message").focus({ preventScroll: true });
}

function head(approval, position) {
  const left = el("span", { class: "approval__left" });
  tick(left, approval.expires_at, (since) => `denied in ${countdown(-since)}`);
  const { who, id, wants } = askerOf(approval);
  const folder = approval.preview ? "" : folderOf(approval);
  return el(
    "div",
    { class: "approval__head" },
    el("span", { class: "state state--needs" }, icon("shield"), "Needs you"),
    el(
      "span",
      { class: "approval__who" },
      who,
      id && [" ", el("code", { text: id })],
      ` ${wants}`,
      folder && [" in ", el("code", { text: shortPath(folder), title: folder })],
    ),
    position,
    left,
  );
}

// The list of all questions has `workspace`; a question of the open session does not.
function folderOf({ workspace }) {
  return workspace ?? openSession.session?.workspace ?? "";
}
