// To the clipboard, also where the page is not served over https and the browser has no clipboard for it.

import { emit } from "./bus.js";
import { el, icon } from "./dom.js";

const SHOWN_MS = 1_500;

export function copyButton(label, text) {
  const word = el("span", { text: label });
  const click = async () => {
    if (!(await copy(text()))) return;
    word.textContent = "Copied";
    setTimeout(() => (word.textContent = label), SHOWN_MS);
  };
  return el("button", { class: "button button--quiet button--small", type: "button", onclick: click }, icon("copy"), word);
}

export async function copy(text) {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copyBySelection(text);
    return true;
  } catch (error) {
    emit("toast", { kind: "fail", title: "Not copied", text: error.message });
    return false;
  }
}

function copyBySelection(text) {
  const box = el("textarea", { class: "sr-only", "aria-hidden": "true", readonly: true });
  box.value = text;
  document.body.append(box);
  box.select();
  const isDone = document.execCommand("copy");
  box.remove();
  if (!isDone) throw new Error("The browser did not allow it.");
}
