// One question: who asks, what would run, why somebody should look, how long there is. No answer is the default.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { el, icon } from "../dom.js";
import { countdown } from "../format.js";
import { openMenu } from "../menu.js";
import { closeApproval } from "../session/session_frames.js";
import { openSession } from "../session/state.js";
import { shortId } from "../short_id.js";
import { tick } from "../ticker.js";
import { markDanger } from "./danger.js";

export class ApprovalCard {
  #buttons = [];

  constructor() {
    this.element = el("section", { class: "approval", "aria-label": "Approval needed" });
  }

  update({ approval }) {
    if (this.element.childElementCount) return;
    this.element.append(
      head(approval),
      el("pre", { class: "approval__cmd", tabindex: 0, "aria-label": "Command" }, markDanger(approval)),
      this.#acts(approval),
    );
  }

  #acts(approval) {
    const button = (words, choice) =>
      el("button", {
        class: "button button--ink",
        type: "button",
        text: words,
        onclick: () => this.#answer(approval, choice),
      });
    const longer = (event) =>
      openMenu(event.currentTarget, [
        { label: "For this session", icon: "clock", run: () => this.#answer(approval, "session") },
        { label: "Always", icon: "shield", run: () => this.#answer(approval, "always") },
      ]);
    this.#buttons = [
      button("Deny", "deny"),
      button("Allow once", "once"),
      el(
        "button",
        {
          class: "button button--quiet button--more",
          type: "button",
          "aria-haspopup": "menu",
          "aria-expanded": "false",
          "aria-label": "Allow for longer",
          onclick: longer,
        },
        el("span", { class: "only-desktop", text: "Allow for longer" }),
        icon("down"),
      ),
    ];
    const why = el("p", { class: "approval__why" }, icon("warn"), el("span", { text: sentence(approval.reason) }));
    return el("div", { class: "approval__acts" }, why, this.#buttons);
  }

  async #answer(approval, choice) {
    for (const button of this.#buttons) button.disabled = true;
    try {
      await api.post("/api/approval/respond", { session_id: openSession.id, call_id: approval.call_id, choice });
      closeApproval(openSession, approval.call_id, choice);
      emit("session-changed", ["approvals", "messages"]);
      // On a phone the keyboard would cover what happens next.
      if (matchMedia("(pointer: fine)").matches) document.getElementById("message").focus({ preventScroll: true });
    } catch (error) {
      for (const button of this.#buttons) button.disabled = false;
      emit("toast", {
        kind: "fail",
        title: "Not answered",
        text: error.code === "already_answered" ? "Somebody has answered it already." : error.message,
      });
    }
  }
}

function head({ task_id: taskId, expires_at: expiresAt }) {
  const left = el("span", { class: "approval__left" });
  tick(left, expiresAt, (since) => `denied in ${countdown(-since)}`);
  const who = taskId
    ? ["Sub-agent ", el("code", { text: shortId(taskId) }), " wants to run a command"]
    : ["The agent wants to run a command"];
  return el(
    "div",
    { class: "approval__head" },
    el("span", { class: "state state--needs" }, icon("shield"), "Needs you"),
    el("span", { class: "approval__who" }, who),
    left,
  );
}

function sentence(reason) {
  const words = (reason ?? "").trim();
  return words && `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}
