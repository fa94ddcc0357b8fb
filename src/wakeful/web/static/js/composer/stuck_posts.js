// Looks for posts of the open session that its chat has refused, or that may not have arrived. No event tells of them:
// they are looked for after each change of the session, a moment later, and then now and then.

import { api } from "../api.js";
import { on } from "../bus.js";
import { isPlatform } from "../doors/platforms.js";
import { openSession } from "../session/state.js";

const SOON_MS = 3_000;
const LATER_MS = 15_000;
const STATES = ["refused", "unknown"];

export class StuckPosts {
  #onChange;
  #shown = "[]";
  #timer = 0;

  // `onChange` gets the posts when they are others than before.
  constructor(onChange) {
    this.#onChange = onChange;
    on("session-opened", () => this.#show([]));
    on("session-changed", (changed) => changed.includes("session") && this.look(SOON_MS));
    document.addEventListener("visibilitychange", () => this.look(SOON_MS));
  }

  async look(nextMs = LATER_MS) {
    clearTimeout(this.#timer);
    const { id, session } = openSession;
    if (!session || !isPlatform(session.platform) || document.hidden) return;
    this.#timer = setTimeout(() => this.look(), nextMs);
    try {
      const pages = await Promise.all(STATES.map((state) => api.get("/api/outbox", { session_id: id, state })));
      if (id === openSession.id) this.#show(pages.flatMap((page) => page.posts));
    } catch (error) {
      console.info("could not fetch the posts:", error.message);
    }
  }

  #show(posts) {
    const shown = JSON.stringify(posts);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#onChange(posts);
  }
}
