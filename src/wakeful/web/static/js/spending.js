// What was spent today, in all sessions, and where the limits are.

import { api } from "./api.js";
import { count, money, price, tokens, whole } from "./format.js";

// Days are those of UTC.
const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" });

export function fetchToday() {
  return api.get("/api/usage", { days: 1 });
}

export function fetchDays() {
  return api.get("/api/usage", { days: 7 });
}

// How jobs go on that the day's limit keeps waiting. `file` is null for those who cannot change the settings.
export function waitWords(today, isOne, file) {
  const { state, cap_usd: cap, hard_cap_usd: hard } = today;
  const isStopped = state === "stopped";
  const limit = isStopped ? hard : wakeLimit(today);
  const setting = limit === cap && !isStopped ? "daily_spend_usd" : "daily_spend_hard_usd";
  const spent = limit === null ? "Today’s budget is spent." : `Today’s ${money(limit)} are spent.`;
  const when = `${isOne ? "It goes" : "They go"} on at midnight UTC${isStopped ? "; until then no model is asked" : ", or with your next message"}.`;
  const raise = file && limit !== null ? `To raise the limit, set ${setting} in ${file} and start the server again.` : "";
  return [spent, when, raise].filter(Boolean).join(" ");
}

// "$3.12 of $5.00 today"; empty when nothing limits it and no day has cost anything: free models need no words.
export function dayWords(usage) {
  const { spent_today_usd: spent, days } = usage;
  const limit = wakeLimit(usage);
  if (isUnknown(usage)) return "no price today";
  if (limit !== null) return `${money(spent)} of ${money(limit)} today`;
  return days.some((day) => day.cost_usd !== 0) ? `${money(spent)} today` : "";
}

// "$3.12 today, and 412k tokens without a price"
export function spentWords({ spent_today_usd: spent, days }) {
  const unpriced = days.at(-1).unpriced_tokens;
  const amount = money(spent).replace(/^under/, "Under");
  return `${amount} today${unpriced ? `, and ${tokens(unpriced)} tokens without a price` : ""}`;
}

// [[title, what it means]] of the two limits. `file` is null for those who cannot change the settings.
export function limitRows({ cap_usd: cap, hard_cap_usd: hard }, file) {
  return [
    limitRow(cap, "nothing wakes by itself", "Reports wait for midnight UTC or for your next message, which runs.", "daily_spend_usd", file),
    limitRow(hard, "nothing runs at all", "A step that has begun is finished.", "daily_spend_hard_usd", file),
  ];
}

function limitRow(amount, effect, meaning, setting, file) {
  const change = file ? `${setting} in ${file} ${amount === null ? "sets" : "changes"} it.` : "";
  const title = amount === null ? `No amount from which on ${effect}` : `From ${money(amount)} on, ${effect}`;
  return [title, [amount === null ? "" : meaning, change].filter(Boolean).join(" ")];
}

// [[day, tokens, cost]] from the oldest with an answer on; the last is the sum.
export function dayRows({ days }) {
  const first = days.findIndex(isUsed);
  const shown = first < 0 ? [] : days.slice(first);
  const costs = shown.filter(isUsed).map((day) => day.cost_usd);
  const sum = costs.length && costs.every((cost) => cost === null) ? null : costs.reduce((all, cost) => all + cost, 0);
  const used = shown.reduce((all, day) => all + tokensOf(day), 0);
  const rows = shown.map((day, at) => [dateName(day.date, shown.length - 1 - at), whole(tokensOf(day)), price(day.cost_usd)]);
  return [...rows, [count(days.length, "day"), whole(used), price(sum)]];
}

// Null when all tokens have a price.
export function unpricedWords({ days }) {
  const unpriced = days.reduce((all, day) => all + day.unpriced_tokens, 0);
  return unpriced ? `${whole(unpriced)} tokens of these have no known price and count nothing.` : null;
}

// Whether all answers of today come from models without a price, which is not the same as free.
function isUnknown({ days }) {
  return days.at(-1).cost_usd === null;
}

function dateName(date, ago) {
  return ago < 2 ? ["Today", "Yesterday"][ago] : WEEKDAY.format(new Date(date));
}

function isUsed(day) {
  return tokensOf(day) > 0;
}

function tokensOf({ input_tokens: read, output_tokens: written }) {
  return read + written;
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
  const spent = isUnknown(today) ? "What today has cost is unknown: its models have no price." : `Today ${money(today.spent_today_usd)}, in all sessions.`;
  return [spent, ...limits].filter(Boolean).join(" ");
}
