// Scrolls to a turn, the card of a task, or a message: for links in the timeline, the drawer and the search.

import { on } from "../bus.js";
import { openSessionById } from "../router.js";
import { soon } from "../soon.js";

export function startRevealing(inner) {
  on("reveal", ({ turn, task }) => show((turn && document.getElementById(turn)) || (task && cardOf(inner, task))));
  startRevealingSoon(inner);
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

// Scrolls to a message or a turn of a session that is still loading, unless the reader navigates or sends something
// first.
function startRevealingSoon(inner) {
  let wanted = null;
  const find = soon(() => {
    const element = wanted && inner.querySelector(wanted);
    if (element) wanted = null;
    show(element);
  });
  // One frame later: drawing new turns first scrolls to the end.
  const look = soon(find);
  on("reveal-soon", ({ message, turn }) => {
    wanted = turn ? `#${CSS.escape(turn)}` : `[data-message="${CSS.escape(message)}"]`;
    look();
  });
  on("session-changed", () => wanted && look());
  on("route", () => (wanted = null));
  on("sent", () => (wanted = null));
}

function show(element) {
  if (!element) return;
  element.scrollIntoView({ block: "start" });
  element.setAttribute("tabindex", "-1");
  element.focus({ preventScroll: true });
}

function cardOf(inner, task) {
  return inner.querySelector(`#wake-${CSS.escape(task)}`);
}
