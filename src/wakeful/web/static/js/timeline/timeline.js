// The strip above the transcript: fetched again when the session changes, redrawn while something runs.

import { api } from "../api.js";
import { emit, on } from "../bus.js";
import { el } from "../dom.js";
import { openSession } from "../session/state.js";
import { settings } from "../settings.js";
import { draw } from "./drawing.js";
import { SummaryLine } from "./summary_line.js";
import { measure } from "./measure.js";
import { scene } from "./scene.js";
import { inShort, story } from "./story.js";

const NARROW = 760;
const REDRAW_SECONDS = 2;
// Changes come in bursts: a turn, its task, its notice.
const GATHER_MS = 150;
const PARTS = ["turns", "tasks", "approvals"];

export function startTimeline(element) {
  new Timeline(element);
}

class Timeline {
  #element;
  #scroll;
  #line;
  #data = null;
  // Lanes by task id: a job keeps its lane while the session is open.
  #lanes = new Map();
  #askedAt = 0;
  #timer = 0;

  constructor(element) {
    this.#element = element;
    this.#scroll = el("div", { class: "timeline__scroll", id: "timeline-drawing" });
    this.#line = new SummaryLine(element);
    element.replaceChildren(this.#line.element, this.#scroll);
    element.addEventListener("click", (event) => this.#follow(event));
    on("session-opened", () => this.#forget());
    on("session-changed", (parts) => parts.some((part) => PARTS.includes(part)) && this.#fetchSoon());
    settings.on("timeline", () => this.#draw());
    new ResizeObserver(() => this.#draw()).observe(element.parentElement);
    setInterval(() => this.#data && isLive(this.#data) && !document.hidden && this.#draw(), REDRAW_SECONDS * 1000);
  }

  #forget() {
    this.#data = null;
    this.#lanes.clear();
    this.#draw();
  }

  // The messages load first.
  #fetchSoon() {
    if (!openSession.session) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fetch(), GATHER_MS);
  }

  async #fetch() {
    const id = openSession.id;
    if (!id) return;
    try {
      const answer = await api.get("/api/session/timeline", { session_id: id });
      if (id !== openSession.id) return;
      this.#data = inSeconds(answer);
      this.#askedAt = performance.now();
      this.#draw();
    } catch (error) {
      // The next change, or the next connection, asks again; the old drawing stays.
      console.info("could not fetch the timeline:", error.message);
    }
  }

  #draw() {
    const main = this.#element.parentElement;
    const data = this.#data && { ...this.#data, now: this.#now(), tasks: withQuestions(this.#data.tasks) };
    // Measure only when there is something to draw: it forces a layout of the whole page.
    const drawn = data && settings.get("timeline") && fitted(data, main.clientWidth, this.#lanes);
    this.#element.hidden = !drawn;
    if (!drawn) return;
    this.#line.update(inShort(data));
    this.#redraw(draw(drawn, story(data)));
  }

  // Keeps the focus of a reader who uses the keyboard on a link.
  #redraw(drawing) {
    const links = [...this.#scroll.querySelectorAll("a")];
    const focused = links.indexOf(document.activeElement);
    this.#scroll.replaceChildren(drawing);
    if (focused !== -1) drawing.querySelectorAll("a")[focused]?.focus({ preventScroll: true });
  }

  // The server's time: the clock of this machine may be wrong.
  #now() {
    return this.#data.now + (performance.now() - this.#askedAt) / 1000;
  }

  #follow(event) {
    const anchor = event.target.closest("a");
    if (!anchor) return;
    event.preventDefault();
    emit("reveal", { turn: anchor.dataset.turn, task: anchor.dataset.task });
  }
}

function fitted(data, width, lanes) {
  return scene(data, { width, isNarrow: width <= NARROW, measure, lanes });
}

function isLive({ turns, tasks }) {
  return turns.some((turn) => turn.closed_at === null) || tasks.some((task) => task.ended_at === null);
}

function withQuestions(tasks) {
  const asking = new Set(openSession.approvals.map((approval) => approval.task_id));
  return tasks.map((task) => (asking.has(task.id) && task.status === "running" ? { ...task, needs_you: true } : task));
}

function inSeconds({ turns, tasks, notices, now }) {
  const seconds = (text) => (text === null ? null : Date.parse(text) / 1000);
  return {
    turns: turns.map((turn) => ({ ...turn, opened_at: seconds(turn.opened_at), closed_at: seconds(turn.closed_at) })),
    tasks: tasks.map((task) => ({ ...task, started_at: seconds(task.started_at), ended_at: seconds(task.ended_at) })),
    notices: notices.map((notice) => ({ ...notice, at: seconds(notice.at), posted_at: seconds(notice.posted_at) })),
    now: seconds(now),
  };
}
