// Fetches the doors, their posts, people and hooks while the settings are open: at once, when something has happened in
// a session, and every few seconds, because no event tells that a connection broke or a post was refused.

import { api } from "../api.js";
import { on } from "../bus.js";

const POLL_MS = 5_000;
const GATHER_MS = 500;
// The newest posts of each state.
const MOST_POSTS = 50;
const STATES = ["refused", "unknown", "waiting"];

export class DoorsFeed {
  #onChange;
  #signal;
  #timer = 0;
  #isSoon = false;
  #asked = 0;

  // Asks until the signal is aborted. `onChange` gets {platforms, posts, pairings, hooks}.
  constructor(signal, onChange) {
    this.#signal = signal;
    this.#onChange = onChange;
    const stops = ["news", "row", "rows-refetch"].map((name) => on(name, () => this.#askSoon()));
    document.addEventListener("visibilitychange", () => this.#askSoon(), { signal });
    signal.addEventListener("abort", () => {
      clearTimeout(this.#timer);
      stops.forEach((stop) => stop());
    });
    this.ask();
  }

  async ask() {
    const number = ++this.#asked;
    this.#isSoon = false;
    clearTimeout(this.#timer);
    try {
      const shown = document.hidden ? null : await load();
      if (shown && number === this.#asked && !this.#signal.aborted) this.#onChange(shown);
    } catch (error) {
      // The header shows that the connection is down; the section stays as it is, and the next look asks again.
      console.info("could not fetch the doors:", error.message);
    }
    if (number === this.#asked) this.#plan(POLL_MS);
  }

  #askSoon() {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#plan(GATHER_MS);
  }

  #plan(milliseconds) {
    clearTimeout(this.#timer);
    if (!this.#signal.aborted) this.#timer = setTimeout(() => this.ask(), milliseconds);
  }
}

async function load() {
  const posts = STATES.map((state) => api.get("/api/outbox", { state, limit: MOST_POSTS }));
  const lists = ["platforms", "pairings", "hooks"].map((name) => api.get(`/api/${name}`));
  const [{ platforms }, { pairings }, { hooks }, ...pages] = await Promise.all([...lists, ...posts]);
  return { platforms, pairings, hooks, posts: pages.flatMap((page) => page.posts) };
}
