// The top of a schedule: what it is called, when it runs next, and what can be done with it.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { el, icon, iconButton } from "../dom.js";
import { duration } from "../format.js";
import { openMenu } from "../menu.js";
import { followLink, openSchedules, schedulePath } from "../router.js";
import { serverNow } from "../server_clock.js";
import { tick } from "../ticker.js";
import { jobTitle } from "./job_values.js";
import { momentWords } from "./times.js";

export class JobHead {
  #job = null;
  #actions;
  #title = el("h2", { tabindex: -1, text: "New schedule" });
  #run = el("button", { class: "button", type: "button", onclick: () => this.#fire() }, icon("play"), "Run now");
  #pause = el("button", { class: "button", type: "button", onclick: () => this.#toggle() });
  #more = iconButton("dots", "More: copy, remove", () => this.#openMenu());
  #acts = el("div", { class: "detail__acts", hidden: true }, this.#run, this.#pause, this.#more);
  #left = el("span");
  #next = el("p", { class: "num" });
  #shown = "";
  #isAsking = false;
  #question = el("div", { class: "banner form__wide", role: "alertdialog", "aria-label": "Remove this schedule?", hidden: true });

  // `actions`: {onChanged, onRemoved, onCopy}, called when the server has done it, or the reader wants a copy.
  constructor(actions) {
    this.#actions = actions;
    this.#more.setAttribute("aria-haspopup", "menu");
    const back = el("a", { class: "button button--quiet back", href: schedulePath(), onclick: (event) => followLink(event, () => openSchedules()) }, icon("left"), "All schedules");
    this.#question.addEventListener("keydown", (event) => event.key === "Escape" && this.#keep(event));
    this.element = el("div", { class: "detail__head" }, back, this.#title, this.#acts, this.#next, this.#question);
  }

  update(job) {
    this.#job = job;
    this.#acts.hidden = !job;
    if (!job) return;
    // A view that is shown again ticks again.
    if (job.next_at) tick(this.#left, job.next_at, (seconds) => (seconds < 0 ? `in ${duration(-seconds)}` : "now"));
    const today = new Date(serverNow()).toDateString();
    const shown = JSON.stringify([job.name, job.prompt, job.status, job.next_at, today]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#title.textContent = jobTitle(job);
    this.#pause.hidden = job.status === "done";
    this.#pause.replaceChildren(icon(job.status === "paused" ? "play" : "pause"), job.status === "paused" ? "Resume" : "Pause");
    this.#drawNext(job);
  }

  focus() {
    this.#title.focus({ preventScroll: true });
  }

  // "Next run tomorrow at 07:30, in 9 h 54 min."
  #drawNext({ status, next_at: at }) {
    if (!at) {
      this.#next.textContent = { paused: "Paused.", done: "Its time is over: it does not run again." }[status] ?? "";
      return;
    }
    this.#next.replaceChildren(`Next run ${momentWords(new Date(at), new Date(serverNow()))}, `, this.#left, ".");
  }

  async #fire() {
    const run = await this.#ask("Not started", () => api.post(`/api/cron/${this.#job.id}/run`, {}));
    if (!run) return;
    emit("said", { skipped: "Left out: the last run was still going", failed: `Failed: ${run.reason}` }[run.status] ?? "Started");
    this.#actions.onChanged();
  }

  async #toggle() {
    const paused = this.#job.status !== "paused";
    const job = await this.#ask(paused ? "Not paused" : "Not resumed", () => api.patch(`/api/cron/${this.#job.id}`, { paused }));
    if (!job) return;
    emit("said", paused ? "Paused" : "Resumed");
    this.#actions.onChanged();
  }

  #openMenu() {
    openMenu(this.#more, [
      { label: "Make a copy", icon: "copy", run: () => this.#actions.onCopy(this.#job) },
      { label: "Remove", icon: "trash", danger: true, run: () => this.#askToRemove() },
    ]);
  }

  // A schedule that is removed does not come back, so it is asked first; and where the reader looks, not in a dialog.
  #askToRemove() {
    const keep = el("button", { class: "button", type: "button", text: "Keep it", onclick: (event) => this.#keep(event) });
    const remove = el("button", { class: "button", type: "button", text: "Remove", onclick: () => this.#remove() });
    const words = "Remove this schedule and the list of its runs? The sessions of its runs stay.";
    this.#question.replaceChildren(icon("trash"), el("p", { class: "banner__text", text: words }), remove, keep);
    this.#question.hidden = false;
    keep.focus();
  }

  #keep(event) {
    event.preventDefault();
    event.stopPropagation();
    this.#question.hidden = true;
    this.#more.focus();
  }

  async #remove() {
    const job = this.#job;
    if (!(await this.#ask("Not removed", () => api.delete(`/api/cron/${job.id}`)))) return;
    emit("said", "Schedule removed");
    this.#actions.onRemoved(job);
  }

  // Null when the server refused, or has not answered the request before.
  async #ask(failure, request) {
    if (this.#isAsking) return null;
    this.#isAsking = true;
    try {
      return await request();
    } catch (error) {
      emit("toast", { kind: "fail", title: failure, text: error.message });
      return null;
    } finally {
      this.#isAsking = false;
    }
  }
}
