// Fetches the data of a page again after every change of a session, while the page is shown.

import { on } from "./bus.js";

const GATHER_MS = 250;
// The shortest time between two requests.
const PAUSE_MS = 1_000;

export class Refetch {
  #isShown;
  #fetch;
  #what;
  #timer = 0;
  #asked = 0;
  #askedAt = 0;

  // `fetch(isLatest)` fetches and takes the data, unless `isLatest()` is false by then: a newer request has begun.
  constructor(what, isShown, fetch) {
    this.#what = what;
    this.#isShown = isShown;
    this.#fetch = fetch;
    for (const name of ["news", "row", "gone", "rows-refetch"]) on(name, () => this.soon());
    document.addEventListener("visibilitychange", () => this.soon());
  }

  soon() {
    if (this.#timer || !this.#isShown() || document.hidden) return;
    this.#timer = setTimeout(() => this.now(), Math.max(GATHER_MS, this.#askedAt + PAUSE_MS - Date.now()));
  }

  async now() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const number = ++this.#asked;
    this.#askedAt = Date.now();
    try {
      await this.#fetch(() => number === this.#asked);
    } catch (error) {
      // The header shows that the connection is down; the page stays as it is, and the next connection asks again.
      console.info(`could not fetch ${this.#what}:`, error.message);
    }
  }
}
