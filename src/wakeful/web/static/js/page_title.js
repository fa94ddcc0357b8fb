// The title of the tab: how many sessions need the reader, and which one is open.

import { on } from "./bus.js";
import { viewName } from "./router.js";
import { openSession } from "./session/state.js";

let waiting = 0;

export function startPageTitle() {
  on("unread", (number) => {
    waiting = number;
    draw();
  });
  on("session-opened", draw);
  on("session-changed", draw);
  on("row", draw);
  on("beginning", draw);
}

function draw() {
  const needs = Math.max(waiting, openSession.approvals.length ? 1 : 0);
  const name = openSession.session?.title || (openSession.id ? "" : viewName());
  const title = [name, "wakeful"].filter(Boolean).join(" · ");
  const words = needs ? `(${needs}) ${title}` : title;
  if (document.title !== words) document.title = words;
}
