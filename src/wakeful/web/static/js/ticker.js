// Times that go on: one timer for all of them, once a second, and none for what has left the page.

import { duration } from "./format.js";
import { serverNow } from "./server_clock.js";

const ticking = new Map();
let timer = null;

// Shows the time since `startedAt` (a Date or RFC 3339) in the element until it leaves the page, or `untick`.
export function tick(element, startedAt, show = duration) {
  const started = new Date(startedAt).getTime();
  ticking.set(element, () => show((serverNow() - started) / 1000));
  paint(element);
  timer ??= setInterval(paintAll, 1000);
}

export function untick(element) {
  ticking.delete(element);
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
