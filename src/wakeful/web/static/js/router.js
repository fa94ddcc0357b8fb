// The address says what the page shows: /s/{id} a session, /settings the settings, / the home page. A session that is
// just beginning has no address yet: the page shows its first message, which is being sent, instead of the home page.

import { emit } from "./bus.js";

const ADDRESS = /^\/s\/([A-Za-z0-9_.:-]+)$/;
export const SETTINGS = "/settings";

let isBegun = false;

export function currentSessionId() {
  return ADDRESS.exec(location.pathname)?.[1] ?? null;
}

// Also for a session that is just beginning.
export function isSessionShown() {
  return isBegun || currentSessionId() !== null;
}

export function isSettings() {
  return location.pathname === SETTINGS;
}

export function isHome() {
  return !isSessionShown() && !isSettings();
}

// The title of what has no title of its own.
export function viewName() {
  if (isSettings()) return "Settings";
  return isHome() ? "Home" : "New session";
}

export function isBeginning() {
  return isBegun;
}

export function openSessionById(id) {
  if (currentSessionId() !== id) history.pushState(null, "", sessionPath(id));
  go({ id });
}

export function openHome() {
  goHome({ writes: false });
}

// `part` is the id of a section.
export function openSettings(part = "") {
  const address = part ? `${SETTINGS}#${part}` : SETTINGS;
  if (!isSettings()) history.pushState(null, "", address);
  else if (part) history.replaceState(null, "", address);
  go({ id: null });
}

// Goes home and focuses the message box, where sessions begin.
export function newSession() {
  goHome({ writes: true });
}

// Called when the first message of a new session is sent.
export function beginSession() {
  isBegun = true;
  emit("beginning");
}

// Called when the server has given the new session its id. "Back" leads to the home page.
export function nameSession(id) {
  isBegun = false;
  history.pushState(null, "", sessionPath(id));
}

export function sessionPath(id) {
  return `/s/${id}`;
}

// Handles a click on a link inside the page. With a modifier key the browser opens a tab or a window as usual.
export function followLink(event, run) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  run();
}

export function startRouter() {
  addEventListener("popstate", () => go({ id: currentSessionId() }));
  go({ id: currentSessionId() });
}

function goHome(how) {
  if (location.pathname !== "/") history.pushState(null, "", "/");
  go({ id: null, ...how });
}

function go(route) {
  isBegun = false;
  emit("route", route);
}
