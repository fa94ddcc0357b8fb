// Opens a native dialog: the browser keeps the focus inside, and Esc closes it.

import { el, iconButton } from "../dom.js";

export function openDialog(title, ...content) {
  const heading = el("h2", { id: "dialog-title", text: title });
  const dialog = el("dialog", { class: "dialog", "aria-labelledby": "dialog-title" });
  dialog.append(el("div", { class: "dialog__head" }, heading, iconButton("cross", "Close", () => dialog.close())), ...content);
  // The browser reports a click on the backdrop as a click on the dialog.
  dialog.addEventListener("click", (event) => event.target === dialog && isOutside(dialog, event) && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.getElementById("dialogs").append(dialog);
  dialog.showModal();
  return dialog;
}

function isOutside(dialog, { clientX, clientY }) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}
