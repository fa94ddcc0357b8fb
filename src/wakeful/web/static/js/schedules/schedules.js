// The page of schedules: the list, and beside it one schedule with its form and its runs. On narrow screens the address
// says which of the two is shown.

import { on } from "../bus.js";
import { el } from "../dom.js";
import { currentScheduleId, followLink, isSchedules, NEW_SCHEDULE, openSchedules, schedulePath } from "../router.js";
import { MOST_RUNS, ScheduleFeed } from "./feed.js";
import { firstUse } from "./first_use.js";
import { valuesOf } from "./job_values.js";
import { JobList } from "./job_list.js";
import { jobOrder } from "./job_row.js";
import { JobView } from "./job_view.js";
import { RunList } from "./run_list.js";

export function startSchedules(element) {
  new Schedules(element);
}

class Schedules {
  #element;
  #feed = new ScheduleFeed(() => this.#draw(), () => this.#shownJob()?.id ?? null);
  #list = new JobList();
  #first = firstUse((values) => this.#begin(values));
  #detail = el("section", { class: "split__detail", id: "schedule", tabindex: -1, "aria-label": "Schedule" });
  // By the id of the job: what was typed and not saved stays in its form.
  #views = new Map();
  #runs = new RunList();
  #inner = el("div", { class: "page__inner" });
  #lastId = null;
  // The schedule that is shown while the address names none.
  #chosenId = null;

  constructor(element) {
    this.#element = element;
    this.#detail.append(this.#inner);
    element.replaceChildren(this.#list.element, this.#detail, this.#first);
    on("route", () => this.#toggle());
    on("schedule", () => this.#turnTo());
    on("me", () => this.#draw());
  }

  #toggle() {
    const isShown = isSchedules();
    const wasShown = !this.#element.hidden;
    this.#element.hidden = !isShown;
    this.#element.closest(".main").classList.toggle("main--split", isShown);
    if (!isShown) return;
    if (wasShown) this.#turnTo();
    else this.#open();
  }

  #open() {
    this.#lastId = currentScheduleId();
    this.#chosenId = null;
    this.#draw();
    this.#feed.open();
  }

  // Shows another schedule than before.
  #turnTo() {
    this.#draw();
    this.#keepFocus();
    this.#feed.askRuns();
  }

  #draw() {
    if (!isSchedules()) return;
    const { jobs, choices } = this.#feed;
    const id = currentScheduleId();
    const job = this.#shownJob();
    const isFirst = jobs?.length === 0 && id !== NEW_SCHEDULE;
    this.#element.classList.toggle("is-detail", id !== null);
    this.#first.hidden = !isFirst;
    this.#list.element.hidden = this.#detail.hidden = isFirst;
    this.#list.show(jobs ?? [], job?.id ?? null, choices.chats);
    this.#list.element.hidden ||= !jobs?.length;
    this.#drawDetail(id, job);
  }

  #drawDetail(id, job) {
    if (!job && id !== NEW_SCHEDULE) {
      this.#inner.replaceChildren(...(this.#feed.jobs && id ? [goneView()] : []));
      return;
    }
    const view = this.#view(job?.id ?? NEW_SCHEDULE);
    view.update(job, this.#feed.choices);
    this.#runs.update(job ? this.#feed.runsOf(job.id) : [], MOST_RUNS);
    if (this.#inner.contains(view.elements[0])) return;
    this.#inner.replaceChildren(...view.elements, this.#runs.element);
    this.#detail.scrollTop = 0;
    this.#list.reveal(job?.id);
  }

  // The schedule that the address names; without one, that which came first in the list when it was opened.
  #shownJob() {
    const jobs = this.#feed.jobs ?? [];
    const id = currentScheduleId();
    const named = jobs.find((job) => job.id === (id ?? this.#chosenId));
    if (id || named) return named ?? null;
    const [first = null] = jobs.toSorted(jobOrder);
    this.#chosenId = first?.id;
    return first;
  }

  #view(id) {
    if (!this.#views.has(id)) this.#views.set(id, this.#newView());
    return this.#views.get(id);
  }

  #newView() {
    return new JobView({
      onSaved: (job, isNew) => this.#saved(job, isNew),
      onDiscard: () => openSchedules(null, { replaces: true }),
      onChanged: () => this.#feed.ask(),
      onRemoved: (job) => this.#removed(job),
      onCopy: (job) => this.#begin({ ...valuesOf(job), name: job.name && `${job.name} (copy)` }),
    });
  }

  #begin(values) {
    openSchedules(NEW_SCHEDULE);
    this.#view(NEW_SCHEDULE).propose(values);
  }

  // The form of a new schedule becomes that of the saved one.
  #saved(job, isNew) {
    this.#feed.put(job);
    if (isNew) {
      this.#views.set(job.id, this.#views.get(NEW_SCHEDULE));
      this.#views.delete(NEW_SCHEDULE);
      if (currentScheduleId() === NEW_SCHEDULE) openSchedules(job.id, { replaces: true });
    }
    this.#feed.ask();
  }

  #removed(job) {
    this.#views.delete(job.id);
    this.#feed.drop(job.id);
    openSchedules(null, { replaces: true });
    this.#feed.ask();
  }

  // The focus follows the reader: into a form that begins, to a schedule on a narrow screen, and back to its row.
  #keepFocus() {
    const before = this.#lastId;
    const focused = document.activeElement;
    this.#lastId = currentScheduleId();
    if (this.#lastId === NEW_SCHEDULE) this.#view(NEW_SCHEDULE).focusForm();
    else if (focused !== document.body && focused.checkVisibility()) return;
    else if (this.#views.has(this.#lastId)) this.#view(this.#lastId).focusTitle();
    else if (!this.#first.hidden) this.#first.focus({ preventScroll: true });
    else this.#list.focus(before);
  }
}

function goneView() {
  const back = el("a", { href: schedulePath(), onclick: (event) => followLink(event, () => openSchedules()), text: "All schedules" });
  return el("p", { class: "dim" }, "This schedule does not exist, or not any more. ", back);
}
