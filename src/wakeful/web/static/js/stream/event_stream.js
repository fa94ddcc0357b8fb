// The event stream from the server. It uses fetch because EventSource hides the comments that prove the stream alive
// and the status that explains a refusal.

import { Frames } from "./frames.js";

// The server sends something at least this often unless it announces another interval. After twice the interval
// without data the stream is dead, whatever the browser reports.
const HEARTBEAT_SECONDS = 15;
const GRACE_MS = 2_000;
const ANSWER_MS = 10_000;
const CHECK_MS = 2_000;
const FIRST_WAIT_MS = 400;
const MOST_WAIT_MS = 15_000;

export class EventStream {
  #address;
  #handlers;
  #attempt = 0;
  #heardAt = 0;
  #patience = Infinity;
  #stop = null;
  #timer = 0;

  // `address()` is called for every attempt.
  // `handlers` has onFrame, onOpen, onLost({attempt, retryAt}) and onRefused(status).
  constructor(address, handlers) {
    this.#address = address;
    this.#handlers = handlers;
    setInterval(() => this.#checkAlive(), CHECK_MS);
  }

  // Opens the stream, or reopens it with a new address. Whatever the old stream still sends is ignored.
  open() {
    this.#hangUp();
    this.#connect();
  }

  close() {
    this.#hangUp();
  }

  // Retries at once: the network or the page has just come back.
  hurry() {
    if (!this.#timer) return;
    this.#attempt = 0;
    this.open();
  }

  #hangUp() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#stop?.abort();
    this.#stop = null;
  }

  async #connect() {
    const stop = new AbortController();
    this.#stop = stop;
    this.#heardAt = Date.now();
    const late = setTimeout(() => stop.abort(), ANSWER_MS);
    let wait = 0;
    try {
      const response = await fetch(this.#address(), {
        headers: { accept: "text/event-stream" },
        cache: "no-store",
        signal: stop.signal,
      });
      clearTimeout(late);
      if (response.ok) await this.#read(response, stop);
      else {
        wait = Number(response.headers.get("retry-after")) * 1000 || 0;
        if (this.#stop === stop) this.#handlers.onRefused(response.status);
      }
    } catch {
      // Refused, broken, or aborted by us: retry below unless a newer stream has replaced this one.
    }
    clearTimeout(late);
    if (this.#stop === stop) this.#retry(wait);
  }

  async #read(response, stop) {
    this.#attempt = 0;
    this.#heardAt = Date.now();
    this.#patience = 2_000 * (Number(response.headers.get("wakeful-heartbeat")) || HEARTBEAT_SECONDS) + GRACE_MS;
    this.#handlers.onOpen();
    const frames = new Frames();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    while (this.#stop === stop) {
      const { value, done } = await reader.read();
      if (done || this.#stop !== stop) return;
      this.#heardAt = Date.now();
      for (const frame of frames.push(value)) this.#handlers.onFrame(frame);
    }
  }

  #retry(least) {
    this.#stop = null;
    this.#attempt += 1;
    const wait = Math.max(least, backoff(this.#attempt));
    this.#timer = setTimeout(() => this.open(), wait);
    this.#handlers.onLost({ attempt: this.#attempt, retryAt: Date.now() + wait });
  }

  // A stalled stream and a computer that slept look the same: no data for too long.
  #checkAlive() {
    if (this.#stop && Date.now() - this.#heardAt > this.#patience) this.#stop.abort();
  }
}

function backoff(attempt) {
  const most = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return most * (0.5 + Math.random() / 2);
}
