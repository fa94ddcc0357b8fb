// Fetches schedules and runs while the page shows them: when it is opened, after every change of a session, and when
// the next schedule is due. No event is sent for a firing that was left out.

import { api } from "../api.js";
import { on } from "../bus.js";
import { Refetch } from "../refetch.js";
import { isSchedules } from "../router.js";
import { serverNow } from "../server_clock.js";
import { fetchChoices } from "./choices.js";

// How long after its time a schedule has fired, and how long to wait for one that is overdue.
const FIRED_MS = 1_000;
const OVERDUE_MS = 30_000;
// The longest time that a browser's timer can wait.
const LONGEST_MS = 2 ** 31 - 1;
export const MOST_RUNS = 50;

export class ScheduleFeed {
  // Null until the server has responded.
  jobs = null;
  choices = { models: [], platforms: [], chats: [] };
  #runs = new Map();
  #onChange;
  #shownId;
  #refetch = new Refetch("the schedules", isSchedules, (isLatest) => this.#fetch(isLatest));
  #dueTimer = 0;
  #learned = 0;

  // `shownId()` returns the id of the schedule whose runs are shown, or null.
  constructor(onChange, shownId) {
    this.#onChange = onChange;
    this.#shownId = shownId;
    // The operator may choose more.
    on("me", () => isSchedules() && this.#learnChoices());
  }

  runsOf(id) {
    return this.#runs.get(id) ?? [];
  }

  // Takes what the server has just said about a job.
  put(job) {
    const jobs = this.jobs ?? [];
    const known = jobs.find(({ id }) => id === job.id);
    this.jobs = [...jobs.filter((one) => one !== known), { ...known, ...job }];
  }

  drop(id) {
    this.jobs = this.jobs.filter((job) => job.id !== id);
  }

  open() {
    this.#learnChoices();
    this.ask();
  }

  ask() {
    return this.#refetch.now();
  }

  async #fetch(isLatest) {
    const { jobs } = await api.get("/api/cron", { last_runs: 1 });
    if (!isLatest()) return;
    this.jobs = jobs;
    this.#waitForNext();
    this.#onChange();
    await this.askRuns();
  }

  async askRuns() {
    const id = this.#shownId();
    if (!id) return;
    try {
      const { runs } = await api.get(`/api/cron/${id}/runs`, { limit: MOST_RUNS });
      this.#runs.set(id, runs);
      this.#onChange();
    } catch (error) {
      console.info("could not fetch the runs:", error.message);
    }
  }

  async #learnChoices() {
    const number = ++this.#learned;
    try {
      const choices = await fetchChoices();
      if (number !== this.#learned) return;
      this.choices = choices;
      this.#onChange();
    } catch (error) {
      console.info("could not fetch the models and chats:", error.message);
    }
  }

  #waitForNext() {
    clearTimeout(this.#dueTimer);
    const times = this.jobs.filter((job) => job.next_at).map((job) => new Date(job.next_at) - serverNow());
    if (!times.length) return;
    const left = Math.min(...times);
    const wait = left > -FIRED_MS ? left + FIRED_MS : OVERDUE_MS;
    this.#dueTimer = setTimeout(() => this.#refetch.soon(), Math.min(wait, LONGEST_MS));
  }
}
