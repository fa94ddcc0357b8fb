// What is said to those who listen and do not look: one polite voice for what is over, one loud voice for questions.

import { on } from "./bus.js";
import { shortId } from "./short_id.js";

const ENDS = { done: "Answer finished", failed: "The turn failed", cancelled: "Stopped" };

export function startAnnouncements(polite, loud) {
  on("said", (words) => say(polite, words));
  on("alert", (words) => say(loud, words));
  on("frame", ({ name, data }) => {
    if (name === "turn_completed") say(polite, ENDS[data.status] ?? "");
    if (name === "notice" && data.delivered === "opened")
      say(polite, `${shortId(data.task_id)} ${how(data)}, agent woken`);
  });
}

function how({ status, exit_code: code, source }) {
  if (source === "watch_match") return "matched";
  if (status === "lost") return "was lost";
  return code === 0 ? "ended" : "failed";
}

// The same words twice are said twice.
function say(region, words) {
  if (!words) return;
  region.textContent = "";
  setTimeout(() => (region.textContent = words), 50);
}
