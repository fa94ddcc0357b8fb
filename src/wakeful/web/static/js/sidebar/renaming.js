// Edits the title of a row in place.

import { el } from "../dom.js";
import { rename } from "./actions.js";

// `onEnd` is called once, after the link is back in its row.
export function renameInPlace(link, row, onEnd) {
  const input = el("input", { class: "input", "aria-label": "Title", maxlength: 200, value: row.title });
  const field = el("div", { class: "session" }, input);
  let isOver = false;
  const end = (keeps) => {
    // Removing the input triggers its blur event.
    if (isOver) return;
    isOver = true;
    field.replaceWith(link);
    const title = input.value.trim();
    if (keeps && title && title !== row.title) rename(row, title);
    onEnd();
  };
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) end(true);
    if (event.key === "Escape") end(false);
    event.stopPropagation();
  });
  input.addEventListener("blur", () => end(true));
  link.replaceWith(field);
  input.focus();
  input.select();
}
