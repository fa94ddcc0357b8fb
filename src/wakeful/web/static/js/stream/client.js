// This page's end of the line: it says which session it shows, and hears frames and how the line is.
// The cursors are kept here, because a worker ends with its last page.

import { workerUrl } from "../trusted.js";
import { Hub } from "./hub.js";

const BEAT_MS = 20_000;

export class Client {
  #post = null;
  #hear;
  #where;

  // `where()` answers {session, after} at any time. `hear` gets what the hub tells.
  // The line begins with the first `follow`.
  constructor(where, hear) {
    this.#where = where;
    this.#hear = hear;
  }

  start() {
    this.#post = this.#shared() ?? this.#own();
    setInterval(() => this.#send("beat"), BEAT_MS);
    addEventListener("pagehide", () => this.#send("bye"));
    addEventListener("pageshow", ({ persisted }) => persisted && this.follow());
    addEventListener("online", () => this.#send("hurry"));
    // The browser believes that there is no network: a server on this machine may be there all the same.
    addEventListener("offline", () => this.#send("doubt"));
    document.addEventListener("visibilitychange", () => {
      this.#send("beat");
      if (!document.hidden) this.#send("hurry");
    });
  }

  // The session or its cursor has changed by other means than frames.
  follow() {
    this.#send("follow");
  }

  hurry() {
    this.#send("hurry");
  }

  #send(kind) {
    this.#post?.({ kind, isHidden: document.hidden, ...this.#where() });
  }

  #shared() {
    if (!globalThis.SharedWorker) return null;
    const worker = new SharedWorker(workerUrl(new URL("./worker.js", import.meta.url)), {
      type: "module",
      name: "wakeful",
    });
    // It could not be loaded: better a line of our own than none.
    worker.addEventListener("error", () => {
      this.#post = this.#own();
      this.follow();
    });
    worker.port.addEventListener("message", ({ data }) => this.#hear(data));
    worker.port.start();
    return (message) => worker.port.postMessage(message);
  }

  #own() {
    const hub = new Hub();
    return (message) => hub.hear(this, (told) => queueMicrotask(() => this.#hear(told)), message);
  }
}
