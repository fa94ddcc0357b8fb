// Who opened a turn, and what it is called.

import { clock } from "../format.js";
import { titleCommand } from "./wake_words.js";

// {isWake, icon}: the icon is null when the first card has its own.
export function openerOf(messages, turn) {
  const [first] = messages;
  if (first?.notice) {
    const isWake = first.notice.delivered === "opened";
    return { isWake, icon: isWake ? noticeIcon(first) : null };
  }
  const source = first?.source ?? turn.source;
  if (source?.endsWith("_wakeup") || source === "watch_match") return { isWake: true, icon: "wake" };
  return { isWake: false, icon: source === "cron" ? "clock" : "person" };
}

export function noticeIcon({ source }) {
  if (source === "watch_match") return "watch";
  return source === "delegation_wakeup" ? "agent" : "wake";
}

// "Turn 3, woken by make check, 14:09"
export function turnLabel(messages, turn, isLive) {
  const number = turn.number ? `Turn ${turn.number}` : "Turn";
  const at = turn.opened_at ?? messages[0]?.created_at;
  const when = isLive ? "running" : at ? clock(new Date(at)) : "";
  return [number, openedBy(messages, turn), when].filter(Boolean).join(", ");
}

function openedBy([first], turn) {
  if (first?.notice?.delivered === "opened") return `woken by ${wokenBy(first)}`;
  const source = first?.source ?? turn.source;
  return source === "cron" ? "scheduled" : "asked by you";
}

function wokenBy({ source, notice }) {
  return source === "delegation_wakeup" ? "a sub-agent" : titleCommand(notice.command);
}

// Null while the turn is open.
export function turnSeconds(turn) {
  if (!turn.opened_at || !turn.closed_at) return null;
  return (new Date(turn.closed_at) - new Date(turn.opened_at)) / 1000;
}
