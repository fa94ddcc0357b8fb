// Numbers and times in words.

const HOUR_MINUTE = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "long" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });
const DAY_AND_YEAR = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });
const SHORT_WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "short" });
const SHORT_DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const WHOLE = new Intl.NumberFormat("en");
const DAY_SECONDS = 86_400;

// "12 s", "4 min 12 s", "41 min", "3 h 20 min", "2 d 4 h"
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 600) return pair(Math.floor(whole / 60), "min", whole % 60, "s");
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < DAY_SECONDS) return pair(Math.floor(whole / 3600), "h", Math.floor((whole % 3600) / 60), "min");
  return pair(Math.floor(whole / DAY_SECONDS), "d", Math.floor((whole % DAY_SECONDS) / 3600), "h");
}

// "0.1 s", "3.4 s", and from ten seconds on like `duration`.
export function exactDuration(seconds) {
  return seconds < 9.95 ? `${(Math.round(Math.max(0.1, seconds) * 10) / 10).toFixed(1)} s` : duration(seconds);
}

// Time left: "4:27"
export function countdown(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export function clock(date) {
  return HOUR_MINUTE.format(date);
}

// "Today", "Yesterday", "Thursday", "3 May", "3 May 2024"
export function dayName(date, now = new Date()) {
  const days = Math.round((startOfDay(now) - startOfDay(date)) / (DAY_SECONDS * 1000));
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days > 1 && days < 7) return WEEKDAY.format(date);
  return date.getFullYear() === now.getFullYear() ? DAY.format(date) : DAY_AND_YEAR.format(date);
}

// For lists: "14:09" today and yesterday, then "Thu", then "3 May".
export function shortTime(date, now = new Date()) {
  const days = Math.round((startOfDay(now) - startOfDay(date)) / (DAY_SECONDS * 1000));
  if (days < 2) return clock(date);
  return days < 7 ? SHORT_WEEKDAY.format(date) : SHORT_DAY.format(date);
}

// "14,902"
export function whole(number) {
  return WHOLE.format(number);
}

// "512", "48.2k", "256k", "1.2M"
export function tokens(number) {
  if (number < 1000) return String(number);
  if (number < 1_000_000) return `${shorten(number / 1000)}k`;
  return `${shorten(number / 1_000_000)}M`;
}

// "$1.84", "under $0.01"
export function money(usd) {
  return usd > 0 && usd < 0.01 ? "under $0.01" : `$${usd.toFixed(2)}`;
}

// An amount that may be unknown, which is a word and never 0.
export function price(usd) {
  return usd === null ? "unknown" : money(usd);
}

export function count(number, noun) {
  return `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
}

export function startOfDay(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate());
}

function pair(first, unit, second, smaller) {
  return second ? `${first} ${unit} ${second} ${smaller}` : `${first} ${unit}`;
}

function shorten(number) {
  return number < 100 ? String(Math.round(number * 10) / 10) : String(Math.round(number));
}
