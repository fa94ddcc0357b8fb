// Times of schedules in words. The reader's own zone counts, unless a zone is given.

import { clock, duration, startOfDay } from "../format.js";

const DAY_MS = 86_400_000;
// Up to here the time left says more than the time of day.
const SOON_SECONDS = 12 * 3600;
const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "long" });
const SHORT_WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "short" });

// "in 9 h 54 min", then "tomorrow 19:00", "Thu 07:30", "3 Dec 09:00"
export function soonWords(at, now) {
  const seconds = (at - now) / 1000;
  if (seconds <= 0) return "now";
  if (seconds < SOON_SECONDS) return `in ${duration(seconds)}`;
  return `${near(at, now) ?? weekday(at, now, SHORT_WEEKDAY) ?? date(at, now, "short")} ${clock(at)}`;
}

// "today at 07:30", "on Thursday at 07:30", "on 3 December at 09:00"; Thursday is the last or the next one.
export function momentWords(at, now) {
  return `${dayWords(at, now)} at ${clock(at)}`;
}

// "today", "yesterday", "on Thursday", "on 3 December"
export function dayWords(at, now) {
  return near(at, now) ?? `on ${weekday(at, now, WEEKDAY) ?? date(at, now, "long")}`;
}

// For a column of past times: "07:30" today, "Thu 07:30" in the last days, then "3 Nov 07:30".
export function shortMoment(at, now) {
  const days = daysBetween(now, at);
  if (days === 0) return clock(at);
  return `${weekday(at, now, SHORT_WEEKDAY) ?? date(at, now, "short")} ${clock(at)}`;
}

// "14 November", and the year if it is another one.
export function dateIn(at, zone, now) {
  const year = new Intl.DateTimeFormat("en", { timeZone: zone, year: "numeric" });
  const isSame = year.format(at) === year.format(now);
  return new Intl.DateTimeFormat("en-GB", { timeZone: zone, day: "numeric", month: "long", year: isSame ? undefined : "numeric" }).format(at);
}

// "Mon 16 November"
export function weekdayDateIn(at, zone, now) {
  return `${new Intl.DateTimeFormat("en", { timeZone: zone, weekday: "short" }).format(at)} ${dateIn(at, zone, now)}`;
}

// "07:30", or "07:30:15" where the seconds matter.
export function clockIn(at, zone) {
  const second = at.getUTCSeconds() ? "2-digit" : undefined;
  return new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", second }).format(at);
}

// "Berlin", "Buenos Aires", "UTC"
export function zoneName(zone) {
  return zone.split("/").at(-1).replaceAll("_", " ");
}

export function ownZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

// Browsers may not know a zone that the server knows.
export function isKnownZone(zone) {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
}

function near(at, now) {
  return { "-1": "yesterday", 0: "today", 1: "tomorrow" }[daysBetween(now, at)] ?? null;
}

function weekday(at, now, format) {
  return Math.abs(daysBetween(now, at)) < 7 ? format.format(at) : null;
}

function date(at, now, month) {
  const year = at.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month, year }).format(at);
}

function daysBetween(from, to) {
  return Math.round((startOfDay(to) - startOfDay(from)) / DAY_MS);
}
