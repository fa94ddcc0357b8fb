// Toasts: news of other sessions, actions that can be undone, failures.
// emit("toast", {kind: wake|fail|info, title, text, action, onAction, seconds}); the title is text, or a list of texts
// and elements.

import { on } from "./bus.js";
import { el, icon, iconButton } from "./dom.js";

const USUAL_SECONDS = 8;
const MOST = 4;

export function startToasts(element) {
  on("toast", (news) => show(element, news));
}

function show(element, { kind = "info", title, text = "", action, onAction, seconds }) {
  const toast = el("div", { class: `toast toast--${kind}` }, icon(kind), el("span", { class: "toast__title" }, title));
  let timer = 0;
  const end = () => {
    clearTimeout(timer);
    toast.remove();
  };
  const act = () => {
    end();
    onAction();
  };
  toast.append(
    el("span", { class: "toast__text", text }),
    el(
      "span",
      { class: "toast__acts" },
      action && el("button", { class: "button button--quiet button--small", type: "button", text: action, onclick: act }),
      iconButton("cross", "Dismiss", end, "button--small"),
    ),
  );
  element.append(toast);
  while (element.children.length > MOST) element.firstElementChild.remove();
  // Failures stay until the reader dismisses them.
  const stay = seconds ?? (kind === "fail" ? 0 : USUAL_SECONDS);
  if (stay) timer = whileAway(toast, stay, end);
}

// The countdown restarts when the pointer or the focus leaves the toast.
function whileAway(toast, seconds, end) {
  let timer = setTimeout(end, seconds * 1000);
  const pause = () => clearTimeout(timer);
  const resume = () => {
    clearTimeout(timer);
    timer = setTimeout(end, seconds * 1000);
  };
  toast.addEventListener("pointerenter", pause);
  toast.addEventListener("pointerleave", resume);
  toast.addEventListener("focusin", pause);
  toast.addEventListener("focusout", resume);
  return timer;
}
