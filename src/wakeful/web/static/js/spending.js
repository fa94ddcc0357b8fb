// What was spent today, in all sessions, and where the limits are.

import { api } from "./api.js";
import { money } from "./format.js";

export function fetchToday() {
  return api.get("/api/usage", { days: 1 });
}

// The amount at which nothing wakes by itself any more: the lower of the two limits. Null: there is none.
export function wakeLimit({ cap_usd: cap, hard_cap_usd: hard }) {
  const limits = [cap, hard].filter((limit) => limit !== null);
  return limits.length ? Math.min(...limits) : null;
}

// "Today $2.10, in all sessions. At $5.00 nothing wakes by itself."
export function todayWords(today) {
  const { state, hard_cap_usd: hard } = today;
  const waking = wakeLimit(today);
  if (state === "stopped") return `Today’s ${money(hard)} are spent. No model is asked before midnight UTC.`;
  if (state === "wakes_wait") return `Today’s ${money(waking)} are spent. Nothing wakes by itself before midnight UTC.`;
  const limits = [
    waking !== null && waking !== hard && `At ${money(waking)} nothing wakes by itself.`,
    hard !== null && `At ${money(hard)} no model is asked.`,
  ];
  return [`Today ${money(today.spent_today_usd)}, in all sessions.`, ...limits].filter(Boolean).join(" ");
}
