// The agent's list of what is to be done, as the drawer shows it.

import { el, icon } from "../dom.js";

export function planParts(items) {
  if (!items.length) return [];
  const done = items.filter((item) => item.status === "done").length;
  const head = el("div", { class: "drawer__group drawer__sub" }, el("h3", { text: "Plan" }), el("span", { class: "num", text: `${done} of ${items.length}` }));
  return [head, el("div", { class: "drawer__plan" }, planList(items))];
}

export function planList(items) {
  return el("ul", { class: "plan" }, items.map(planItem));
}

function planItem({ text, status }) {
  const words = el("span", { text });
  if (status === "active") words.append(el("span", { class: "sr-only", text: ", now" }));
  if (status === "done") words.append(el("span", { class: "sr-only", text: ", done" }));
  return el("li", { class: `is-${status}` }, signOf(status), words);
}

function signOf(status) {
  if (status === "done") return icon("ok");
  return el("span", { class: status === "active" ? "ring" : "box-todo" });
}
