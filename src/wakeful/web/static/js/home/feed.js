// Fetches the data of the home page when it is opened and after every change. With a server that lacks the routes the
// sections stay hidden.

import { api } from "../api.js";
import { on } from "../bus.js";
import { isHome } from "../router.js";
import { serverNow } from "../server_clock.js";

const GATHER_MS = 250;
// The shortest time between two requests.
const PAUSE_MS = 1_000;
const CHECK_MS = 1_000;
// No event reports progress: poll.
const PROGRESS_MS = 3_000;

export class HomeFeed {
  // Null until the server has responded.
  shown = null;
  #onChange;
  #timer = 0;
  #asked = 0;
  #askedAt = 0;

  constructor(onChange) {
    this.#onChange = onChange;
    on("route", () => isHome() && this.ask());
    for (const name of ["news", "row", "gone", "rows-refetch"]) on(name, () => this.askSoon());
    on("session-changed", (parts) => parts.includes("approvals") && this.askSoon());
    document.addEventListener("visibilitychange", () => this.askSoon());
    setInterval(() => this.shown?.running.some(({ task }) => task) && this.askSoon(), PROGRESS_MS);
    setInterval(() => this.#checkExpired(), CHECK_MS);
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
      const [home, questions, usage] = await Promise.all(["/api/home", "/api/approvals", "/api/usage"].map(known));
      if (number !== this.#asked) return;
      this.shown = { ...NOTHING, ...home, approvals: questions?.approvals ?? [], usage, isKnown: home !== null };
      this.#onChange();
    } catch (error) {
      // The header shows that the connection is down; the page stays as it is, and the next connection asks again.
      console.info("could not fetch the home page:", error.message);
    }
  }

  // A question may expire without an event: in a session that no list shows, or while the server is down.
  #checkExpired() {
    const isLate = ({ expires_at: at }) => new Date(at) <= serverNow();
    if (this.shown?.approvals.some(isLate)) this.askSoon();
  }
}

const NOTHING = { running: [], reported: [], recent: [] };

// Null when the server has no such route.
async function known(path) {
  try {
    return await api.get(path);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}
