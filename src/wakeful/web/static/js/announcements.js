// Announcements for screen readers: a polite region for what has ended, an alert region for questions.

import { on } from "./bus.js";
import { shortCommand } from "./news/news_words.js";
import { outcomeWords } from "./words.js";

const ENDS = { done: "Answer finished", failed: "The turn failed", cancelled: "Stopped" };

export function startAnnouncements(polite, loud) {
  on("said", (words) => say(polite, words));
  on("alert", (words) => say(loud, words));
  on("frame", ({ name, data }) => {
    if (name === "turn_completed") say(polite, ENDS[data.status] ?? "");
    if (name === "notice" && data.delivered === "opened") say(polite, `${what(data)}, agent woken`);
  });
}

function what(notice) {
  if (notice.source === "delegation_wakeup") return `Sub-agent ${outcomeWords(notice)}`;
  const words = notice.source === "watch_match" ? `printed “${notice.pattern}”` : outcomeWords(notice);
  return `${shortCommand(notice.command)} ${words}`;
}

// Empties the region first: a screen reader stays silent when the text does not change.
function say(region, words) {
  if (!words) return;
  region.textContent = "";
  setTimeout(() => (region.textContent = words), 50);
}
