// Turns events of the connection into a state without false alarms: short breaks are ignored, and so are all breaks
// while the page is hidden. Emits `connection` {state: live|reconnecting|offline, since, attempt, retryAt}.

import { emit } from "../bus.js";

const PATIENCE_MS = 2_000;
const OFFLINE_MS = 30_000;

const stream = { isOpen: false, lostAt: Date.now(), attempt: 0, retryAt: 0 };
let shown = "";
let timer = 0;

export function streamOpened() {
  stream.isOpen = true;
  judge();
}

export function streamLost({ attempt, retryAt }) {
  if (stream.isOpen) stream.lostAt = Date.now();
  Object.assign(stream, { isOpen: false, attempt, retryAt });
  judge();
}

export function startConnection() {
  addEventListener("online", judge);
  addEventListener("offline", judge);
  document.addEventListener("visibilitychange", () => {
    // A break that began while the page was hidden gets the same patience.
    if (!document.hidden && !stream.isOpen)
      stream.lostAt = Math.max(stream.lostAt, Date.now() - (shown === "live" ? 0 : PATIENCE_MS));
    judge();
  });
}

export function connectionState() {
  return shown || "live";
}

function judge() {
  clearTimeout(timer);
  if (document.hidden && !stream.isOpen) return;
  const lostFor = Date.now() - stream.lostAt;
  const state = stateOf(lostFor);
  if (!stream.isOpen) timer = setTimeout(judge, lostFor < PATIENCE_MS ? PATIENCE_MS - lostFor : 1_000);
  if (state === "live" && shown === "live") return;
  shown = state;
  emit("connection", { state, since: new Date(stream.lostAt), attempt: stream.attempt, retryAt: stream.retryAt });
}

function stateOf(lostFor) {
  if (stream.isOpen) return "live";
  if (!navigator.onLine || lostFor >= OFFLINE_MS) return "offline";
  return lostFor >= PATIENCE_MS ? "reconnecting" : "live";
}
