// The home page: what needs the reader, what runs, what happened meanwhile, and the sessions that changed last. It is
// shown when the address names no session; the message box below it starts a new one.

import { api } from "../api.js";
import { emit, on } from "../bus.js";
import { el } from "../dom.js";
import { clock, dayName, duration } from "../format.js";
import { isHome } from "../router.js";
import { serverNow } from "../server_clock.js";
import { mark } from "../sidebar/wordmark.js";
import { connectSection } from "./connect.js";
import { HomeFeed } from "./feed.js";
import { FirstRun } from "./first_run.js";
import { questionEntries, questionView } from "./question.js";
import { recentEntries, recentRow } from "./recent_row.js";
import { reportedEntries, reportedRow } from "./reported_row.js";
import { runningEntries, runningRow } from "./running_row.js";
import { Section } from "./section.js";

export function startHome(element) {
  const home = new Home(element);
  return { focusQuestion: () => home.focusQuestion() };
}

class Home {
  #element;
  #questions = 0;
  #feed = new HomeFeed(() => this.#draw());
  #firstRun = new FirstRun(() => this.#feed.ask());
  #needs = new Section("h-needs", "Needs you", { make: questionView, list: el("ul", { class: "questions", role: "list" }) });
  #calm = el("div", { class: "calm", hidden: true }, mark(), el("h2", { text: "All quiet" }), el("p", { text: "Nothing needs you, nothing runs." }));
  #running = new Section("h-running", "Running", { make: runningRow });
  #reported = new Section("h-away", "While you were away", { make: reportedRow, action: this.#readButton() });
  #recent = new Section("h-recent", "Recent sessions", { make: recentRow });

  constructor(element) {
    this.#element = element;
    const sections = [this.#needs, this.#firstRun, this.#running, this.#reported].map((section) => section.element);
    element.replaceChildren(el("div", { class: "page__inner" }, this.#calm, sections, this.#recent.element, connectSection()));
    on("route", () => this.#toggle());
    on("beginning", () => this.#toggle());
  }

  // Returns false when the page shows no question.
  focusQuestion() {
    const card = isHome() && this.#needs.element.querySelector(".approval");
    if (!card) return false;
    card.tabIndex = -1;
    card.focus();
    return true;
  }

  #toggle() {
    const isShown = isHome();
    const wasShown = !this.#element.hidden;
    this.#element.hidden = !isShown;
    this.#element.closest(".main").classList.toggle("main--home", isShown);
    if (isShown && !wasShown) this.#element.scrollTop = 0;
  }

  #draw() {
    const { shown } = this.#feed;
    emit("day-spend", shown.usage);
    const isFirst = this.#firstRun.show(shown);
    const questions = questionEntries(shown);
    this.#needs.show(questions, { isCounted: true });
    this.#keepFocus(questions.length);
    // The things to try show their own state.
    const running = isFirst ? [] : runningEntries(shown);
    const reported = isFirst ? [] : reportedEntries(shown);
    this.#running.show(running, { isCounted: true, note: "goes on when you close this tab" });
    this.#reported.show(reported, { note: since(shown.reported) });
    this.#recent.show(isFirst ? [] : recentEntries(shown));
    this.#calm.hidden = isFirst || !shown.isKnown || questions.length + running.length + reported.length > 0;
  }

  // An answered question is removed together with the focus: give it to the next question, or to the page.
  #keepFocus(questions) {
    const isAnswered = questions < this.#questions;
    this.#questions = questions;
    if (!isAnswered || document.activeElement !== document.body || !isHome()) return;
    if (!this.focusQuestion()) this.#element.focus({ preventScroll: true });
  }

  #readButton() {
    return el("button", { class: "button button--quiet button--small", type: "button", text: "Mark all as read", onclick: () => this.#readAll() });
  }

  async #readAll() {
    const last = new Map(this.#feed.shown.reported.map((news) => [news.session_id, news.last_event_id]));
    const seen = ([session_id, event_id]) => api.post("/api/session/seen", { session_id, event_id });
    try {
      await Promise.all([...last].map(seen));
    } catch (error) {
      emit("toast", { kind: "fail", title: "Not marked as read", text: error.message });
    }
    this.#element.focus({ preventScroll: true });
    await this.#feed.ask();
  }
}

// "since 18:40, 2 h 56 min"
function since(reported) {
  if (!reported.length) return "";
  const first = new Date(reported.at(-1).at);
  const day = dayName(first);
  const when = day === "Today" ? clock(first) : `${day} ${clock(first)}`;
  return `since ${when}, ${duration((serverNow() - first) / 1000)}`;
}
