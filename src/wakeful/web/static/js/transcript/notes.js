// Footnotes of an answer lead to each other, and nowhere else: their addresses begin with the id of their message.

import { el } from "../dom.js";

export function dressNotes(holder, messageId) {
  for (const mark of holder.querySelectorAll("sup.note")) {
    const { note } = mark.dataset;
    mark.replaceChildren(link(`${messageId}-note-${note}`, note, `Footnote ${note}`));
    mark.id = `${messageId}-noted-${note}`;
  }
  for (const footnote of holder.querySelectorAll(".footnote")) {
    const { note } = footnote.dataset;
    footnote.id = `${messageId}-note-${note}`;
    footnote.append(" ", link(`${messageId}-noted-${note}`, "↩", `Back to where footnote ${note} is named`));
  }
}

// The address of the page stays what it is.
function link(target, text, label) {
  const go = (event) => {
    event.preventDefault();
    const place = document.getElementById(target);
    if (!place) return;
    place.setAttribute("tabindex", "-1");
    place.focus();
  };
  return el("a", { href: `#${target}`, text, "aria-label": label, onclick: go });
}
