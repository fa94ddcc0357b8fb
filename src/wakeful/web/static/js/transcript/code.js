// Adds a bar to code in an answer: its language, and a copy button.

import { copyText } from "../clipboard.js";
import { el, icon } from "../dom.js";

const SHOWN_MS = 1_500;

export function addCodeBars(holder) {
  for (const code of holder.querySelectorAll(".code")) {
    const pre = code.querySelector("pre");
    pre.setAttribute("aria-label", "Code");
    code.prepend(
      el("div", { class: "code__bar" }, el("span", { text: code.dataset.language || "text" }), copyButton(pre)),
    );
  }
}

function copyButton(pre) {
  const word = el("span", { text: "Copy" });
  const click = async () => {
    if (!(await copyText(pre.textContent))) return;
    word.textContent = "Copied";
    setTimeout(() => (word.textContent = "Copy"), SHOWN_MS);
  };
  return el(
    "button",
    { class: "button button--quiet button--small", type: "button", onclick: click },
    icon("copy"),
    word,
  );
}
