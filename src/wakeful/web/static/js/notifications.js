// News of other sessions: a toast while the page is in view, the system's notification while it is hidden.

import { emit, on } from "./bus.js";
import { currentSessionId, openSessionById } from "./router.js";
import { settings } from "./settings.js";

// The rows as they were last told, by session.
const known = new Map();

export function startNotifications() {
  on("rows", (rows) => rows.forEach((row) => known.set(row.session_id, row)));
  on("row", (row) => {
    const before = known.get(row.session_id);
    known.set(row.session_id, row);
    const news = before && newsOf(before, row);
    if (news) tell(row, news);
  });
}

// What has just become true of a session and its reader should hear; null: nothing.
export function newsOf(before, row) {
  const title = row.title || "A session";
  if (row.needs_you > before.needs_you) return { kind: "info", title: `${title} needs you`, text: "A command waits for your answer." };
  const hasEnded = before.active_turn_id && before.active_turn_id !== row.active_turn_id;
  if (!hasEnded || !row.unread) return null;
  if (row.last_status === "failed") return { kind: "fail", title: `${title} failed`, text: "Its last turn broke off." };
  return row.woken ? { kind: "wake", title: `${title} was woken`, text: "What it waited for has ended." } : null;
}

function tell(row, news) {
  const open = () => openSessionById(row.session_id);
  if (document.hidden) notify(row, news, open);
  else if (row.session_id !== currentSessionId()) emit("toast", { ...news, action: "Open", onAction: open, seconds: 8 });
}

function notify(row, { title, text }, open) {
  if (!settings.get("notify") || !("Notification" in globalThis) || Notification.permission !== "granted") return;
  // One tag a session: thirty tabs show one notification.
  const notification = new Notification(title, { body: text, tag: `wakeful-${row.session_id}` });
  notification.onclick = () => {
    focus();
    open();
    notification.close();
  };
}

export async function askToNotify() {
  if (!("Notification" in globalThis)) return false;
  return (await Notification.requestPermission()) === "granted";
}
