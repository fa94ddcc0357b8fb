// What is said to those who listen and do not look: one polite voice for what is over, one loud voice for questions.

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

// The same words twice are said twice.
function say(region, words) {
  if (!words) return;
  region.textContent = "";
  setTimeout(() => (region.textContent = words), 50);
}
