// Code in an answer gets a bar: its language, and a button that copies it.

import { copyButton } from "../copying.js";
import { el } from "../dom.js";

export function dressCode(holder) {
  for (const code of holder.querySelectorAll(".code")) {
    const pre = code.querySelector("pre");
    const bar = el("div", { class: "code__bar" }, el("span", { text: code.dataset.language || "text" }), copyButton("Copy", () => pre.textContent));
    pre.setAttribute("aria-label", "Code");
    code.prepend(bar);
  }
}
