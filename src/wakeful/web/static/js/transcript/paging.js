// Fetches earlier messages when the reader scrolls near them.

import { emit } from "../bus.js";
import { fetchOlder } from "../session/session.js";
import { openSession } from "../session/state.js";

const NEAR_PX = 1_200;

export class Paging {
  #scroller;
  #isLoading = false;

  constructor(scroller) {
    this.#scroller = scroller;
    scroller.addEventListener("scroll", () => this.#loadIfNear(), { passive: true });
  }

  async load() {
    if (this.#isLoading || !openSession.hasMore) return;
    this.#isLoading = true;
    try {
      await fetchOlder();
    } catch (error) {
      emit("toast", { kind: "fail", title: "Earlier messages were not loaded", text: error.message });
    } finally {
      this.#isLoading = false;
    }
  }

  #loadIfNear() {
    // A transcript that fits its window does not scroll; it has a button instead.
    if (this.#scroller.scrollTop < NEAR_PX && this.#scroller.scrollHeight > this.#scroller.clientHeight) this.load();
  }
}
