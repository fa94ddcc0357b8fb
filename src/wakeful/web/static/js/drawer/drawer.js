// The plan of the open session and its background work: running jobs with their output, and finished ones.

import { api } from "../api.js";
import { emit, on } from "../bus.js";
import { el, iconButton } from "../dom.js";
import { openSession } from "../session/state.js";
import { settings } from "../settings.js";
import { DoneRow, wokeWords } from "./done_row.js";
import { planParts } from "./plan.js";
import { TaskCard } from "./task_card.js";
import { isRunning } from "./task_words.js";

const MOST_DONE = 100;
const PROGRESS_MS = 3000;
// Below this width the drawer slides over the page and starts closed.
const OVER = matchMedia("(max-width: 1180px)");

export function startDrawer(element) {
  const drawer = new Drawer(element);
  return { toggle: () => drawer.toggle(), isOver: () => drawer.isOver(), close: () => drawer.close() };
}

class Drawer {
  #element;
  #title = el("h2", { text: "Background" });
  #body = el("div", { class: "drawer__body" });
  // Cards by task id, rows by what they show: both are reused, so an unfolded log stays as it is.
  #cards = new Map();
  #done = new Map();
  #isOpenOver = false;
  #opener = null;

  constructor(element) {
    this.#element = element;
    const head = el("div", { class: "drawer__head" }, this.#title, iconButton("cross", "Close background work", () => this.close()));
    element.replaceChildren(head, this.#body);
    on("session-opened", () => this.#forget());
    on("session-changed", (parts) => parts.some((part) => ["tasks", "works", "approvals", "turns", "todo"].includes(part)) && this.#draw());
    on("show-drawer", () => this.toggle());
    settings.on("drawer", () => this.#layOut());
    OVER.addEventListener("change", () => this.#layOut());
    document.addEventListener("visibilitychange", () => this.#watch());
    setInterval(() => this.#learnProgress(), PROGRESS_MS);
    this.#layOut();
  }

  isOver() {
    return OVER.matches && this.#isOpenOver;
  }

  toggle() {
    if (this.#isShown()) this.close();
    else this.#open();
  }

  close() {
    if (OVER.matches) this.#isOpenOver = false;
    else settings.set("drawer", false);
    this.#layOut();
    this.#opener?.focus();
    this.#opener = null;
  }

  #open() {
    this.#opener = document.activeElement;
    if (OVER.matches) this.#isOpenOver = true;
    else settings.set("drawer", true);
    this.#layOut();
    this.#element.querySelector("button").focus();
  }

  #isShown() {
    return OVER.matches ? this.#isOpenOver : settings.get("drawer");
  }

  #layOut() {
    this.#element.classList.toggle("is-open", this.isOver());
    this.#element.parentElement.classList.toggle("is-drawer-closed", !OVER.matches && !settings.get("drawer"));
    this.#watch();
    emit("drawer", this.#isShown());
  }

  // Fetches output only while the drawer is in view.
  #watch() {
    const isSeen = this.#isShown() && !document.hidden;
    for (const card of this.#cards.values()) isSeen ? card.start() : card.stop();
  }

  #forget() {
    for (const one of [...this.#cards.values(), ...this.#done.values()]) one.stop();
    this.#cards.clear();
    this.#done.clear();
    this.#draw();
  }

  #draw() {
    const tasks = [...openSession.tasks.values()].sort((one, other) => other.started_at.localeCompare(one.started_at));
    const running = tasks.filter(isRunning);
    const over = tasks.filter((task) => !isRunning(task)).sort((one, other) => other.ended_at.localeCompare(one.ended_at));
    this.#drawRunning(running);
    this.#drawDone(over.slice(0, MOST_DONE));
    const parts = planParts(openSession.todo);
    this.#title.textContent = parts.length ? "Plan and background" : "Background";
    if (running.length) parts.push(el("h3", { class: "drawer__group", text: "Running" }), ...[...this.#cards.values()].map((card) => card.element));
    if (over.length) parts.push(el("h3", { class: "drawer__group", text: "Finished" }), el("div", {}, [...this.#done.values()].map((row) => row.element)));
    if (!parts.length) parts.push(emptyDrawer());
    keepFocus(() => this.#body.replaceChildren(...parts));
    this.#watch();
  }

  #drawRunning(running) {
    const asking = new Set(openSession.approvals.map((approval) => approval.task_id));
    const cards = new Map();
    for (const task of running) {
      const card = this.#cards.get(task.id) ?? new TaskCard(task);
      card.update(task, asking.has(task.id), openSession.works[task.id]);
      cards.set(task.id, card);
    }
    for (const [id, card] of this.#cards) if (!cards.has(id)) card.stop();
    this.#cards = cards;
  }

  #drawDone(over) {
    const rows = new Map();
    for (const task of over) {
      const key = `${task.id} ${task.status} ${wokeWords(task)}`;
      rows.set(key, this.#done.get(key) ?? new DoneRow(task));
    }
    this.#done = rows;
  }

  async #learnProgress() {
    const isWanted = this.#isShown() && !document.hidden && [...openSession.tasks.values()].some((task) => isRunning(task) && task.kind !== "delegation");
    if (!isWanted || !openSession.id) return;
    try {
      const { tasks } = await api.get("/api/tasks", { session_id: openSession.id });
      for (const task of tasks) {
        const known = openSession.tasks.get(task.id);
        if (known) known.progress = task.progress;
        this.#cards.get(task.id)?.update({ ...(known ?? task), progress: task.progress }, openSession.approvals.some((approval) => approval.task_id === task.id));
      }
    } catch (error) {
      console.info("could not fetch the progress:", error.message);
    }
  }
}

function emptyDrawer() {
  return el("div", { class: "empty empty--small" }, el("p", { text: "Nothing runs in the background. Jobs that the agent starts appear here, and go on when you leave." }));
}

// Elements lose the focus and the scroll position when they are moved: restore both.
function keepFocus(change) {
  const focused = document.activeElement;
  const scrolls = [...document.querySelectorAll(".drawer .log")].map((log) => [log, log.scrollTop]);
  change();
  for (const [log, top] of scrolls) log.scrollTop = top;
  if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
}
