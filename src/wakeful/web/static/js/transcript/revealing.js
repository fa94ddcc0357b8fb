// Brings a turn, or the card of a task, into view: for the links of the timeline and the drawer.

import { on } from "../bus.js";
import { openSessionById } from "../router.js";

export function startRevealing(inner) {
  on("reveal", ({ turn, task }) => {
    const element = (turn && document.getElementById(turn)) || (task && cardOf(inner, task));
    if (!element) return;
    element.scrollIntoView({ block: "start" });
    element.setAttribute("tabindex", "-1");
    element.focus({ preventScroll: true });
  });
  on("edit-last", () => {
    const said = [...inner.querySelectorAll('.said__row[data-editable="true"]')].at(-1);
    said?.dispatchEvent(new Event("edit-message"));
  });
  inner.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-session]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openSessionById(link.dataset.session);
  });
}

function cardOf(inner, task) {
  return inner.querySelector(`#wake-${CSS.escape(task)}`);
}
