// A schedule in plain words. A schedule that has no short and exact words gets none: its fields say it better.

import { cronWords } from "./cron_words.js";
import { clockIn, dateIn, isKnownZone, zoneName } from "./times.js";

const NICKNAMES = { "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *" };
const UNITS = { s: "second", m: "minute", h: "hour", d: "day" };
const SPAN = /^(every|in)\s+(\d{1,9})\s*([smhd])$/i;
const MOMENT = /^at\s+(\S+)$/i;

// "Monday to Friday at 07:30, Berlin", "Every 6 hours", "Once, on 14 November at 16:00, Berlin"; or "".
// `onceAt` is when a schedule of the form `in 2h` fires, or null before it is saved.
export function scheduleWords(text, zone, now, onceAt = null) {
  const written = text.trim();
  const span = SPAN.exec(written);
  if (span?.[1].toLowerCase() === "every") return everyWords(Number(span[2]), UNITS[span[3].toLowerCase()]);
  if (span && !onceAt) return `Once, ${spanWords(Number(span[2]), UNITS[span[3].toLowerCase()])} after it is saved`;
  const moment = span ? onceAt : MOMENT.exec(written)?.[1];
  if (moment) return onceWords(new Date(moment), zone, now);
  const { words, isZoned } = cronWords(NICKNAMES[written.toLowerCase()] ?? written);
  return words && isZoned ? `${words}, ${zoneName(zone)}` : words;
}

export function isOnce(text) {
  return /^(in|at)\s/i.test(text.trim());
}

function everyWords(number, unit) {
  return number === 1 ? `Every ${unit}` : `Every ${number} ${unit}s`;
}

function spanWords(number, unit) {
  return number === 1 ? `1 ${unit}` : `${number} ${unit}s`;
}

function onceWords(at, zone, now) {
  if (Number.isNaN(at.getTime()) || !isKnownZone(zone)) return "";
  return `Once, on ${dateIn(at, zone, now)} at ${clockIn(at, zone)}, ${zoneName(zone)}`;
}
