// Running times. One timer updates them all once a second and drops those whose element has left the page.

import { duration } from "./format.js";
import { serverNow } from "./server_clock.js";

const ticking = new Map();
let timer = null;

// Shows the time since `startedAt` (a Date or RFC 3339) in the element until it leaves the page.
export function tick(element, startedAt, show = duration) {
  const started = new Date(startedAt).getTime();
  ticking.set(element, () => show((serverNow() - started) / 1000));
  paint(element);
  timer ??= setInterval(paintAll, 1000);
}

function paintAll() {
  for (const element of ticking.keys()) {
    if (element.isConnected) paint(element);
    else ticking.delete(element);
  }
  if (!ticking.size) {
    clearInterval(timer);
    timer = null;
  }
}

function paint(element) {
  const text = ticking.get(element)();
  if (element.textContent !== text) element.textContent = text;
}
