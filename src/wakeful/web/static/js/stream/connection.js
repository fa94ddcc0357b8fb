// How the line is, in words that raise no false alarm: a short break is none, and a hidden page has nobody to alarm.
// Tells `connection` {state: live|reconnecting|offline, since, attempt, retryAt}.

import { emit } from "../bus.js";

const PATIENCE_MS = 2_000;
const OFFLINE_MS = 30_000;

const line = { isOpen: false, lostAt: Date.now(), attempt: 0, retryAt: 0 };
let shown = "";
let timer = 0;

export function lineOpened() {
  line.isOpen = true;
  judge();
}

export function lineLost({ attempt, retryAt }) {
  if (line.isOpen) line.lostAt = Date.now();
  Object.assign(line, { isOpen: false, attempt, retryAt });
  judge();
}

export function startConnection() {
  addEventListener("online", judge);
  addEventListener("offline", judge);
  document.addEventListener("visibilitychange", () => {
    // Whatever happened while nobody looked gets the same patience.
    if (!document.hidden && !line.isOpen)
      line.lostAt = Math.max(line.lostAt, Date.now() - (shown === "live" ? 0 : PATIENCE_MS));
    judge();
  });
}

export function connectionState() {
  return shown || "live";
}

function judge() {
  clearTimeout(timer);
  if (document.hidden && !line.isOpen) return;
  const lostFor = Date.now() - line.lostAt;
  const state = stateOf(lostFor);
  if (!line.isOpen) timer = setTimeout(judge, lostFor < PATIENCE_MS ? PATIENCE_MS - lostFor : 1_000);
  if (state === "live" && shown === "live") return;
  shown = state;
  emit("connection", { state, since: new Date(line.lostAt), attempt: line.attempt, retryAt: line.retryAt });
}

function stateOf(lostFor) {
  if (line.isOpen) return "live";
  if (!navigator.onLine || lostFor >= OFFLINE_MS) return "offline";
  return lostFor >= PATIENCE_MS ? "reconnecting" : "live";
}
