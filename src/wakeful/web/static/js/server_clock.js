// What time it is for the server. Times that it tells are compared with its own clock: that of a phone may be minutes
// off.

// Answers name whole seconds and take a moment to come: less than this is no difference.
const DOUBT_MS = 5_000;

let ahead = 0;

// From the `Date` of an answer that has just come.
export function learnTime(date) {
  const told = Date.parse(date ?? "");
  if (Number.isNaN(told)) return;
  const difference = told - Date.now();
  ahead = Math.abs(difference) < DOUBT_MS ? 0 : difference;
}

export function serverNow() {
  return Date.now() + ahead;
}
