// Links the footnotes of an answer. Their ids begin with the id of the message, so they cannot point outside it.

import { el } from "../dom.js";

export function linkNotes(holder, messageId) {
  for (const mark of holder.querySelectorAll("sup.note")) {
    const { note } = mark.dataset;
    mark.replaceChildren(link(`${messageId}-note-${note}`, note, `Footnote ${note}`));
    mark.id = `${messageId}-noted-${note}`;
  }
  for (const footnote of holder.querySelectorAll(".footnote")) {
    const { note } = footnote.dataset;
    footnote.id = `${messageId}-note-${note}`;
    footnote.append(" ", link(`${messageId}-noted-${note}`, "↩", `Back to footnote ${note} in the text`));
  }
}

// Moves the focus without changing the address.
function link(target, text, label) {
  const go = (event) => {
    event.preventDefault();
    const element = document.getElementById(target);
    if (!element) return;
    element.setAttribute("tabindex", "-1");
    element.focus();
  };
  return el("a", { href: `#${target}`, text, "aria-label": label, onclick: go });
}
