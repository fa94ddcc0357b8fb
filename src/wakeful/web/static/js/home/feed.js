// Fetches the data of the home page when it is opened and after every change. With a server that lacks the routes the
// sections stay hidden.

import { api } from "../api.js";
import { on } from "../bus.js";
import { Refetch } from "../refetch.js";
import { isHome } from "../router.js";
import { serverNow } from "../server_clock.js";

const CHECK_MS = 1_000;
// No event reports progress: poll.
const PROGRESS_MS = 3_000;

export class HomeFeed {
  // Null until the server has responded.
  shown = null;
  #onChange;
  #refetch = new Refetch("the home page", isHome, (isLatest) => this.#fetch(isLatest));

  constructor(onChange) {
    this.#onChange = onChange;
    on("route", () => isHome() && this.ask());
    on("session-changed", (parts) => parts.includes("approvals") && this.#refetch.soon());
    setInterval(() => this.shown?.running.some(({ task }) => task) && this.#refetch.soon(), PROGRESS_MS);
    setInterval(() => this.#checkExpired(), CHECK_MS);
  }

  ask() {
    return this.#refetch.now();
  }

  async #fetch(isLatest) {
    const [home, questions, usage] = await Promise.all(["/api/home", "/api/approvals", "/api/usage"].map(known));
    if (!isLatest()) return;
    this.shown = { ...NOTHING, ...home, approvals: questions?.approvals ?? [], usage, isKnown: home !== null };
    this.#onChange();
  }

  // A question may expire without an event: in a session that no list shows, or while the server is down.
  #checkExpired() {
    const isLate = ({ expires_at: at }) => new Date(at) <= serverNow();
    if (this.shown?.approvals.some(isLate)) this.#refetch.soon();
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
