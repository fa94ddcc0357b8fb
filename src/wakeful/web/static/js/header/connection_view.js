// The state of the connection in a few words.

import { on } from "../bus.js";
import { el, icon } from "../dom.js";
import { clock } from "../format.js";

export function connectionView() {
  const element = el("span", { class: "connection", role: "status" });
  let shown = "";
  const draw = ({ state, since, attempt, retryAt }) => {
    const words = wordsOf(state, since, attempt, retryAt);
    if (shown === state + words) return;
    shown = state + words;
    element.className = `connection connection--${{ live: "live", reconnecting: "wait", offline: "off" }[state]}`;
    const sign = {
      live: () => el("span", { class: "dot" }),
      reconnecting: () => el("span", { class: "ring" }),
      offline: () => icon("unplug"),
    }[state]();
    element.replaceChildren(sign, el("span", { class: "connection__word", text: words }));
  };
  on("connection", draw);
  return element;
}

function wordsOf(state, since, attempt, retryAt) {
  if (state === "live") return "Live";
  if (state === "offline") return `Offline since ${clock(since)}`;
  const left = Math.ceil((retryAt - Date.now()) / 1000);
  return left > 0 ? `Reconnecting, try ${attempt + 1} in ${left} s` : "Reconnecting";
}
