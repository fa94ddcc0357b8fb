// This page's side of the hub: tells it which session the page shows, and receives frames and the connection's state.
// The page keeps the cursor, because the worker ends with its last page.

import { workerUrl } from "../trusted.js";
import { Hub } from "./hub.js";

const BEAT_MS = 20_000;

export class Client {
  #post = null;
  #receive;
  #where;

  // `where()` returns {session, after}; `receive` gets the hub's messages. The stream opens with the first `follow`.
  constructor(where, receive) {
    this.#where = where;
    this.#receive = receive;
  }

  start() {
    this.#post = this.#shared() ?? this.#own();
    setInterval(() => this.#send("beat"), BEAT_MS);
    addEventListener("pagehide", () => this.#send("bye"));
    addEventListener("pageshow", ({ persisted }) => persisted && this.follow());
    addEventListener("online", () => this.#send("hurry"));
    // The browser reports no network, but a server on this machine may still be reachable.
    addEventListener("offline", () => this.#send("doubt"));
    document.addEventListener("visibilitychange", () => {
      this.#send("beat");
      if (!document.hidden) this.#send("hurry");
    });
  }

  // Call this when the session or its cursor has changed other than by frames.
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
    // The worker could not be loaded: use a connection of this page alone.
    worker.addEventListener("error", () => {
      this.#post = this.#own();
      this.follow();
    });
    worker.port.addEventListener("message", ({ data }) => this.#receive(data));
    worker.port.start();
    return (message) => worker.port.postMessage(message);
  }

  #own() {
    const hub = new Hub();
    return (message) => hub.receive(this, (reply) => queueMicrotask(() => this.#receive(reply)), message);
  }
}
