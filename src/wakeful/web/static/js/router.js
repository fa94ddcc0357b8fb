// The address of the page says what it shows: /s/{id} a session, / the home page. A session that is being begun has no
// address yet: its first words are on their way, and the page shows them instead of the home page.

import { emit } from "./bus.js";

const ADDRESS = /^\/s\/([A-Za-z0-9_.:-]+)$/;

let isBegun = false;

export function currentSessionId() {
  return ADDRESS.exec(location.pathname)?.[1] ?? null;
}

export function isHome() {
  return !isBegun && currentSessionId() === null;
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

// To the message box of the home page, where sessions begin.
export function newSession() {
  goHome({ writes: true });
}

// The first words of a new session have been written.
export function beginSession() {
  isBegun = true;
  emit("beginning");
}

// The session that was being begun has got its id. The way back leads to the home page.
export function nameSession(id) {
  isBegun = false;
  history.pushState(null, "", sessionPath(id));
}

export function sessionPath(id) {
  return `/s/${id}`;
}

// A link inside of the page: with a key held the browser opens a tab or a window, as for every link.
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
