// Single keys work outside fields only and can be switched off. Esc closes an open panel first, then stops the turn.

import { emit, on } from "./bus.js";
import { KEYS } from "./keys.js";
import { isSessionShown, newSession, openHome } from "./router.js";
import { openSession } from "./session/state.js";
import { settings } from "./settings.js";

const BY_KEY = new Map(KEYS.flatMap(({ keys }) => keys).filter((one) => one.key).map((one) => [one.key, one.run]));

export function startShortcuts({ sidebar, drawer, home }) {
  const actions = {
    home: openHome,
    new: newSession,
    search: () => sidebar.search(),
    next: () => sidebar.next(1),
    previous: () => sidebar.next(-1),
    needs: () => home.focusQuestion() || toNextThatNeedsYou(sidebar),
    help: () => emit("show-help"),
    write: () => document.getElementById("message")?.focus(),
    // Only a session has a drawer and a timeline.
    drawer: () => isSessionShown() && drawer.toggle(),
    timeline: () => isSessionShown() && settings.set("timeline", !settings.get("timeline")),
    "next-wake": () => walkWakes(1),
    "previous-wake": () => walkWakes(-1),
  };
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Escape") escape(event, sidebar, drawer);
    else if (isFree(event) && BY_KEY.has(event.key)) {
      event.preventDefault();
      actions[BY_KEY.get(event.key)]();
    }
  });
}

function isFree(event) {
  const isField = event.target.closest?.("input, textarea, select, [contenteditable]");
  return settings.get("shortcuts") && !event.ctrlKey && !event.metaKey && !event.altKey && !isField && !document.querySelector("dialog[open]");
}

function escape(event, sidebar, drawer) {
  // The browser itself closes dialogs on Esc.
  if (document.querySelector("dialog[open]")) return;
  if (sidebar.isOver()) sidebar.close();
  else if (drawer.isOver()) drawer.close();
  else if (openSession.activeTurn) emit("stop-turn");
  else return;
  event.preventDefault();
}

// Focuses the question, so its answers are one Tab away, or the transcript of an unread session.
function toNextThatNeedsYou(sidebar) {
  if (!sidebar.nextThatNeedsYou()) {
    emit("toast", { title: "Nothing needs you", seconds: 3 });
    return;
  }
  // The session may still be loading.
  if (openSession.session) {
    focusQuestion();
    return;
  }
  const stop = on("session-changed", () => {
    if (!openSession.session) return;
    stop();
    requestAnimationFrame(focusQuestion);
  });
}

function focusQuestion() {
  const card = document.querySelector("#approvals .approval");
  if (card) card.tabIndex = -1;
  (card ?? document.getElementById("transcript")).focus({ preventScroll: true });
}

// Scrolls to the wake-up card after, or before, the one at the top of the view.
function walkWakes(step) {
  const cards = [...document.querySelectorAll("#turns .wake")];
  const top = document.getElementById("transcript").getBoundingClientRect().top + 40;
  const below = cards.findIndex((card) => card.getBoundingClientRect().top > top);
  const here = below === -1 ? cards.length : below;
  const card = step > 0 ? cards[here] : cards[here - 1 - (cards[here - 1]?.getBoundingClientRect().top > top - 60 ? 1 : 0)];
  card?.scrollIntoView({ block: "start" });
}
