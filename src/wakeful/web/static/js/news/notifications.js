// News of other sessions: a toast while the page is in view, a system notification while no page is. News comes from
// the log, so a broken connection loses none. What is already on the screen is left out.

import { emit, on } from "../bus.js";
import { el } from "../dom.js";
import { isHome, openHome, openSessionById } from "../router.js";
import { settings } from "../settings.js";
import { endedWell } from "../words.js";
import { manyWords, newsTitle, newsWords } from "./news_words.js";
import { mayNotify, showNotification, startSystem } from "./system.js";

const GATHER_MS = 250;
// More than these at once become a single toast.
const MOST_TOASTS = 3;
const SECONDS = 8;

let gathered = [];
let timer = 0;

export function startNotifications() {
  startSystem();
  on("news", ({ news, isShown, isLookedAt }) => {
    if (isShown || !isWorthShowing(news)) return;
    if (!document.hidden) gather(news);
    else if (!isLookedAt && settings.get("notify") && mayNotify()) notify(news);
  });
}

// No person waits for a job that ended well and wakes no session. The home page still lists it.
function isWorthShowing(news) {
  return news.kind !== "process_complete" || news.wakes || !endedWell(news);
}

// After a reconnect, news arrives in a burst.
function gather(news) {
  gathered.push(news);
  clearTimeout(timer);
  timer = setTimeout(showGathered, GATHER_MS);
}

function showGathered() {
  const all = gathered;
  gathered = [];
  // The home page lists them itself: only screen readers need to hear of them.
  if (isHome()) all.forEach(say);
  else if (all.length > MOST_TOASTS) toast(manyWords(all), "Show", openHome);
  else all.forEach((news) => toast(newsWords(news), "Open", () => openSessionById(news.session_id)));
}

// Questions are alerts, as in their session.
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
