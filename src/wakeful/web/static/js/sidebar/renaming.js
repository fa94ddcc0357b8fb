// Edits titles in place.

import { el } from "../dom.js";
import { rename } from "./actions.js";

// `onEnd` is called once, after the link is back in its row.
export function renameInPlace(link, row, onEnd) {
  const input = titleInput(row, "input", (title) => {
    field.replaceWith(link);
    if (title) rename(row, title);
    onEnd();
  });
  const field = el("div", { class: "session" }, input);
  link.replaceWith(field);
  input.focus();
  input.select();
}

// An input for the title of a session. Calls `onEnd` once, with the new title or "" when there is nothing to change.
export function titleInput(session, kind, onEnd) {
  const input = el("input", { class: kind, "aria-label": "Title", maxlength: 200, value: session.title });
  let isOver = false;
  const end = (keeps) => {
    // Removing the input triggers its blur event.
    if (isOver) return;
    isOver = true;
    const title = input.value.trim();
    onEnd(keeps && title !== session.title ? title : "");
  };
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) end(true);
    if (event.key === "Escape") end(false);
    event.stopPropagation();
  });
  input.addEventListener("blur", () => end(true));
  return input;
}
