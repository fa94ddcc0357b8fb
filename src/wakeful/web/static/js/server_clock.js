// The server's clock. Its times are compared with this and not with the clock of a phone, which may be minutes off.

// The `Date` header has whole seconds and arrives late, so smaller differences mean nothing.
const TOLERANCE_MS = 5_000;

let ahead = 0;

// Takes the `Date` header of a response that has just arrived.
export function learnTime(date) {
  const serverTime = Date.parse(date ?? "");
  if (Number.isNaN(serverTime)) return;
  const difference = serverTime - Date.now();
  ahead = Math.abs(difference) < TOLERANCE_MS ? 0 : difference;
}

export function serverNow() {
  return Date.now() + ahead;
}
