// The address says what the page shows: /s/{id} a session, /schedules the schedules, /settings the settings, / the home
// page. A session that is just beginning has no address yet: the page shows its first message, which is being sent,
// instead of the home page.

import { emit } from "./bus.js";

const SESSION = /^\/s\/([A-Za-z0-9_.:-]+)$/;
const SCHEDULES = /^\/schedules(?:\/([A-Za-z0-9_.:-]+))?$/;
// In the address of a schedule that is not saved yet.
export const NEW_SCHEDULE = "new";
export const SETTINGS = "/settings";

let isBegun = false;

export function currentSessionId() {
  return SESSION.exec(location.pathname)?.[1] ?? null;
}

// The id of a schedule, NEW_SCHEDULE, or null.
export function currentScheduleId() {
  return SCHEDULES.exec(location.pathname)?.[1] ?? null;
}

// Also for a session that is just beginning.
export function isSessionShown() {
  return isBegun || currentSessionId() !== null;
}

export function isSchedules() {
  return !isBegun && SCHEDULES.test(location.pathname);
}

export function isHome() {
  return !isSessionShown() && !isSchedules() && !isSettings();
}

export function isSettings() {
  return location.pathname === SETTINGS;
}

// The title of what has no title of its own.
export function viewName() {
  if (isSettings()) return "Settings";
  if (isSchedules()) return "Schedules";
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

// Shows one schedule, or all of them without an id. Between schedules only `schedule` is emitted: a route would also
// reopen the stream. `replaces`: "back" skips the address of now.
export function openSchedules(id = null, { replaces = false } = {}) {
  const isThere = isSchedules();
  if (replaces) history.replaceState(null, "", schedulePath(id));
  else if (location.pathname !== schedulePath(id)) history.pushState(null, "", schedulePath(id));
  if (isThere && (id || replaces)) emit("schedule");
  else go({ id: null });
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

export function schedulePath(id) {
  return id ? `/schedules/${id}` : "/schedules";
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
