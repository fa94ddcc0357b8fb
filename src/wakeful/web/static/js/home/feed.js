// What the home page shows, as the server tells it: asked for when the page is opened, and again when something has
// happened. A server that does not know the routes tells nothing, and the sections stay away.

import { api } from "../api.js";
import { on } from "../bus.js";
import { isHome } from "../router.js";

const GATHER_MS = 250;
// Progress is in no event.
const PROGRESS_MS = 3_000;

export class HomeFeed {
  // Null until the server has answered.
  shown = null;
  #onChange;
  #timer = 0;
  #asked = 0;

  constructor(onChange) {
    this.#onChange = onChange;
    on("route", ({ id }) => id === null && this.ask());
    for (const name of ["news", "row", "gone", "rows-refetch"]) on(name, () => this.askSoon());
    on("session-changed", (parts) => parts.includes("approvals") && this.askSoon());
    document.addEventListener("visibilitychange", () => this.askSoon());
    setInterval(() => this.shown?.running.some(({ task }) => task) && this.askSoon(), PROGRESS_MS);
  }

  askSoon() {
    if (this.#timer || !isHome() || document.hidden) return;
    this.#timer = setTimeout(() => this.ask(), GATHER_MS);
  }

  async ask() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const number = ++this.#asked;
    try {
      const [home, questions] = await Promise.all([known("/api/home"), known("/api/approvals")]);
      if (number !== this.#asked) return;
      this.shown = { ...NOTHING, ...home, approvals: questions?.approvals ?? [], isKnown: home !== null };
      this.#onChange();
    } catch (error) {
      // The line says that it is down; what is shown stays, and the next connection asks again.
      console.info("the home page was not fetched:", error.message);
    }
  }
}

const NOTHING = { running: [], reported: [], recent: [] };

// Null where there is no such route.
async function known(path) {
  try {
    return await api.get(path);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}
