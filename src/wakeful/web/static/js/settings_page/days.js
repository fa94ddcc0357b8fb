// Days inside a sentence.

import { clock, dayName } from "../format.js";

const NAMED = { Today: "today", Yesterday: "yesterday" };

// "today", "yesterday", "Thursday", "3 May"
export function day(text) {
  const name = dayName(new Date(text));
  return NAMED[name] ?? name;
}

// "at 18:40", "yesterday", "3 May"
export function lastTime(text) {
  const name = day(text);
  return name === "today" ? `at ${clock(new Date(text))}` : name;
}
