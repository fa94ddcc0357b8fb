// News of other sessions: a toast while the page is in view, the system's notification while no page is. It comes from
// the log, so that a cut line loses none; what is on the screen already is not told again.

import { emit, on } from "../bus.js";
import { el } from "../dom.js";
import { isHome, openHome, openSessionById } from "../router.js";
import { settings } from "../settings.js";
import { endedWell } from "../words.js";
import { manyWords, newsTitle, newsWords } from "./news_words.js";
import { mayNotify, showNotification, startSystem } from "./system.js";

const GATHER_MS = 250;
// More than these at once are told as one.
const MOST_ALONE = 3;
const SECONDS = 8;

let gathered = [];
let timer = 0;

export function startNotifications() {
  startSystem();
  on("news", ({ news, isShown, isLookedAt }) => {
    if (isShown || !isWorthTelling(news)) return;
    if (!document.hidden) gather(news);
    else if (!isLookedAt && settings.get("notify") && mayNotify()) notify(news);
  });
}

// What ended well and was to wake no session is nothing that a person waits for; the home page lists it all the same.
function isWorthTelling(news) {
  return news.kind !== "process_complete" || news.wakes || !endedWell(news);
}

// After a line that was cut they come together.
function gather(news) {
  gathered.push(news);
  clearTimeout(timer);
  timer = setTimeout(tellGathered, GATHER_MS);
}

function tellGathered() {
  const all = gathered;
  gathered = [];
  // The home page shows them itself; who listens and does not look hears of them.
  if (isHome()) all.forEach(say);
  else if (all.length > MOST_ALONE) toast(manyWords(all), "Show", openHome);
  else all.forEach((news) => toast(newsWords(news), "Open", () => openSessionById(news.session_id)));
}

// A question loudly, as in its session.
function say(news) {
  const words = newsWords(news);
  emit(news.kind === "approval_required" ? "alert" : "said", `${newsTitle(words)}, ${words.text}`);
}

function toast({ kind, command, words, text }, action, onAction) {
  const title = command ? [el("code", { text: command }), ` ${words}`] : [words];
  emit("toast", { kind, title, text, action, onAction, seconds: SECONDS });
}

function notify(news) {
  const words = newsWords(news);
  showNotification(newsTitle(words), { body: words.text, session: news.session_id, news: news.news_id });
}
