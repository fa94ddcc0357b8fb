// A section of the settings. Its heading takes the focus when a reader goes to the section.

import { el } from "../dom.js";

export function setSection(id, name, note, ...content) {
  const heading = el("h2", { id: `h-${id}`, tabindex: "-1", text: name });
  const head = el("div", { class: "section__head" }, heading, note && el("span", { class: "section__note", text: note }));
  return el("section", { class: "section section--set", id, "aria-labelledby": heading.id }, head, content);
}

export function headingOf(section) {
  return section.querySelector("h2");
}
