// What the home page shows, as the server tells it: asked for when the page is opened, and again when something has
// happened. A server that does not know the routes tells nothing, and the sections stay away.

import { api } from "../api.js";
import { on } from "../bus.js";
import { isHome } from "../router.js";
import { serverNow } from "../server_clock.js";

const GATHER_MS = 250;
// Where much happens, once in this time is enough.
const PAUSE_MS = 1_000;
const LOOK_MS = 1_000;
// Progress is in no event.
const PROGRESS_MS = 3_000;

export class HomeFeed {
  // Null until the server has answered.
  shown = null;
  #onChange;
  #timer = 0;
  #asked = 0;
  #askedAt = 0;

  constructor(onChange) {
    this.#onChange = onChange;
    on("route", ({ id }) => id === null && this.ask());
    for (const name of ["news", "row", "gone", "rows-refetch"]) on(name, () => this.askSoon());
    on("session-changed", (parts) => parts.includes("approvals") && this.askSoon());
    document.addEventListener("visibilitychange", () => this.askSoon());
    setInterval(() => this.shown?.running.some(({ task }) => task) && this.askSoon(), PROGRESS_MS);
    setInterval(() => this.#look(), LOOK_MS);
  }

  askSoon() {
    if (this.#timer || !isHome() || document.hidden) return;
    this.#timer = setTimeout(() => this.ask(), Math.max(GATHER_MS, this.#askedAt + PAUSE_MS - Date.now()));
  }

  async ask() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const number = ++this.#asked;
    this.#askedAt = Date.now();
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

  // Sessions that no list shows make no news, and neither does a server that is down.
  #look() {
    const isLate = ({ expires_at: at }) => new Date(at) <= serverNow();
    if (this.shown?.approvals.some(isLate)) this.askSoon();
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
