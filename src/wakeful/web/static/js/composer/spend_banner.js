// Says that jobs wait because the day has cost too much, and how they go on.

import { el } from "../dom.js";
import { me } from "../me.js";
import { openSession } from "../session/state.js";
import { fetchToday, waitWords } from "../spending.js";
import { banner } from "./banner.js";
import { put } from "./outbox.js";

// `many` says how many jobs wait.
export function spendBanner(many, isOne) {
  const text = el("span", { text: "Today’s budget is spent." });
  const button = el("button", { class: "button button--small", type: "button", text: "Go on now", hidden: true, onclick: goOn });
  fill(text, button, isOne);
  return banner("banner--wake", "wake", [many, ". ", text], button);
}

async function fill(text, button, isOne) {
  try {
    const today = await fetchToday();
    text.textContent = waitWords(today, isOne, me.config_file);
    button.hidden = today.state === "stopped";
  } catch (error) {
    // What is known without the amounts stays.
    console.info("could not fetch the day's spend:", error.message);
  }
}

// A message of the user opens a turn, and what waits comes with it.
function goOn({ currentTarget }) {
  currentTarget.disabled = true;
  put({ session: openSession.id, text: "Go on.", ifBusy: "queue" });
}
