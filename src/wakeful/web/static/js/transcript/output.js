// Output in a terminal's colours, never as markup. A long one is cut until somebody wants all of it.

import { ansiFragment } from "../ansi.js";
import { el } from "../dom.js";
import { whole } from "../format.js";

const MOST = 20_000;

export function outputView(text, label) {
  const log = el("pre", { class: "log", tabindex: 0, "aria-label": label }, ansiFragment(text.length > MOST ? text.slice(0, MOST) : text));
  if (text.length <= MOST) return log;
  const showAll = () => {
    log.replaceChildren(ansiFragment(text));
    more.remove();
    log.focus();
  };
  const more = el("button", { class: "button button--small", type: "button", text: `Show all ${whole(text.length)} characters`, onclick: showAll });
  return el("div", { class: "output" }, log, more);
}
