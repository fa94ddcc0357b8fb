// The list of schedules: those that run or are paused, then those that are over.

import { el } from "../dom.js";
import { serverNow } from "../server_clock.js";
import { Keyed } from "../transcript/keyed.js";
import { jobOrder, jobRow } from "./job_row.js";

export class JobList {
  #going = el("ul", { class: "rows", role: "list" });
  #over = el("ul", { class: "rows", role: "list" });
  #heading = el("h2", { class: "drawer__group", text: "Done" });
  #goingRows = new Keyed(this.#going);
  #overRows = new Keyed(this.#over);

  constructor() {
    const foot = el("p", { class: "split__foot", text: "The agent can make these too: ask it in any session." });
    this.element = el("section", { class: "split__list", tabindex: -1, "aria-label": "All schedules" }, this.#going, this.#heading, this.#over, foot);
  }

  show(jobs, shownId, chats) {
    const today = new Date(serverNow()).toDateString();
    const entries = jobs.toSorted(jobOrder).map((job) => ({ key: job.id, job, chats, today, isShown: job.id === shownId }));
    const isOver = ({ job }) => job.status === "done";
    this.#goingRows.show(entries.filter((entry) => !isOver(entry)), jobRow);
    this.#overRows.show(entries.filter(isOver), jobRow);
    this.#heading.hidden = this.#over.hidden = !entries.some(isOver);
    this.#going.hidden = entries.every(isOver);
  }

  // Scrolls to a schedule that is shown.
  reveal(id) {
    this.#link(id)?.scrollIntoView({ block: "nearest" });
  }

  // Focuses a schedule that the reader has come back from.
  focus(id) {
    (this.#link(id) ?? this.element).focus({ preventScroll: true });
  }

  #link(id) {
    return id && this.element.querySelector(`a[href$="/${CSS.escape(id)}"]`);
  }
}
