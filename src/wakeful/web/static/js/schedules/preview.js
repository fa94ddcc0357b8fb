// What a schedule means: in words, and the next times that it fires. Asks the server when the reader pauses in typing.

import { api } from "../api.js";
import { el } from "../dom.js";
import { serverNow } from "../server_clock.js";
import { refusedField } from "./job_values.js";
import { isOnce, scheduleWords } from "./schedule_words.js";
import { clockIn, isKnownZone, ownZone, weekdayDateIn, zoneName } from "./times.js";

const PAUSE_MS = 300;
const SHOWN = 5;

export class Preview {
  #words = el("p");
  #note = el("p", { class: "light-note" });
  #heading = el("h3");
  #times = el("ol", { class: "times" });
  #onRefused;
  #shown = "";
  #timer = 0;
  #asked = 0;

  // `onRefused({field, words})` gets why the server cannot read the schedule; null when it can.
  constructor(onRefused) {
    this.#onRefused = onRefused;
    const said = el("div", {}, el("h3", { text: "That is" }), this.#words, this.#note);
    this.element = el("div", { class: "says form__wide", role: "status" }, said, el("div", {}, this.#heading, this.#times));
  }

  // `job` is the saved one, or null.
  show({ schedule, timezone }, job) {
    const isKept = job !== null && schedule.trim() === job.schedule && timezone === job.timezone;
    const wanted = { schedule: schedule.trim(), timezone, job, isKept };
    const shown = JSON.stringify([wanted.schedule, timezone, job?.status, isKept && job.next_at]);
    if (shown === this.#shown) return;
    const isFirst = !this.#shown;
    this.#shown = shown;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(wanted), isFirst ? 0 : PAUSE_MS);
  }

  async #ask(wanted) {
    const number = ++this.#asked;
    try {
      const times = await nextTimes(wanted);
      if (number !== this.#asked) return;
      this.#onRefused(null);
      this.#draw(wanted, times);
    } catch (error) {
      if (number !== this.#asked) return;
      if (error.status === 400) {
        this.#onRefused(refusedField(error.message));
        this.#draw({ ...wanted, schedule: "" }, []);
      } else {
        // The header says that the connection is down; the next look at the form asks again.
        this.#shown = "";
      }
    }
  }

  #draw({ schedule, timezone, job, isKept }, times) {
    const now = new Date(serverNow());
    const words = scheduleWords(schedule, timezone, now, isKept ? (job.next_at ?? job.last_at) : times[0]);
    this.#words.replaceChildren(meaning(schedule, words));
    this.#note.textContent = noteWords(timezone, job, isKept, times);
    this.#heading.textContent = times.length ? headingWords(schedule, job) : "";
    const zone = isKnownZone(timezone) ? timezone : "UTC";
    this.#times.replaceChildren(...times.map((at) => timeLine(new Date(at), zone, now)));
  }
}

// The times that are kept count from when the schedule was saved; all others count from now.
async function nextTimes({ schedule, timezone, job, isKept }) {
  if (!schedule || (isKept && !job.next_at)) return [];
  if (!isKept) return (await api.get("/api/cron/next", { schedule, timezone, count: SHOWN })).times;
  if (isOnce(schedule)) return [job.next_at];
  const { times } = await api.get("/api/cron/next", { schedule, timezone, from: job.next_at, count: SHOWN - 1 });
  return [job.next_at, ...times];
}

function meaning(schedule, words) {
  if (!schedule) return el("span", { class: "dim", text: "no schedule yet" });
  return words ? el("b", { text: words }) : el("code", { text: schedule });
}

function headingWords(schedule, job) {
  if (job?.status === "paused") return "Once resumed";
  return isOnce(schedule) ? "It runs once" : "The next five";
}

function noteWords(timezone, job, isKept, times) {
  if (isKept && job.status === "paused") return "Paused: it does not run until you resume it.";
  if (isKept && job.status === "done") return "Its time is over: it does not run again.";
  return times.length && timezone !== ownZone() ? `The times are those of ${zoneName(timezone)}.` : "";
}

function timeLine(at, zone, now) {
  return el("li", {}, el("span", { text: weekdayDateIn(at, zone, now) }), el("time", { datetime: at.toISOString(), text: clockIn(at, zone) }));
}
