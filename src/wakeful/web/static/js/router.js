// The address of the page says which session is open: /s/{id}, or / for one that is still to be begun.

import { emit } from "./bus.js";

const ADDRESS = /^\/s\/([A-Za-z0-9_.:-]+)$/;

export function currentSessionId() {
  return ADDRESS.exec(location.pathname)?.[1] ?? null;
}

export function openSessionById(id) {
  if (currentSessionId() !== id) history.pushState(null, "", sessionPath(id));
  emit("route", { id });
}

export function newSession() {
  if (location.pathname !== "/") history.pushState(null, "", "/");
  emit("route", { id: null });
}

// The session of this page has got its id; there is no way back to the time when it had none.
export function nameSession(id) {
  history.replaceState(null, "", sessionPath(id));
}

export function sessionPath(id) {
  return `/s/${id}`;
}

export function startRouter() {
  addEventListener("popstate", () => emit("route", { id: currentSessionId() }));
  emit("route", { id: currentSessionId() });
}
