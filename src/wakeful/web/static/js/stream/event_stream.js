// The one connection to the server. It is read with fetch and not with EventSource, because that hides what an honest
// line needs: the comments that prove it alive, and the status that says why it was refused.

import { Frames } from "./frames.js";

// How often the server speaks at least, unless it says otherwise. After twice that the line is dead, whatever the
// browser believes.
const HEARTBEAT_SECONDS = 15;
const GRACE_MS = 2_000;
const ANSWER_MS = 10_000;
const LOOK_MS = 2_000;
const FIRST_WAIT_MS = 400;
const MOST_WAIT_MS = 15_000;

export class Line {
  #address;
  #tell;
  #attempt = 0;
  #heardAt = 0;
  #patience = Infinity;
  #stop = null;
  #timer = 0;

  // `address()` is asked for at every attempt.
  // `tell` has onFrame, onOpen, onLost({attempt, retryAt}) and onRefused(status).
  constructor(address, tell) {
    this.#address = address;
    this.#tell = tell;
    setInterval(() => this.#look(), LOOK_MS);
  }

  // Begin, or begin again with another address. What was on its way on the old line is not heard.
  open() {
    this.#hangUp();
    this.#connect();
  }

  close() {
    this.#hangUp();
  }

  // Somebody has reason to believe that it would work now.
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
        if (this.#stop === stop) this.#tell.onRefused(response.status);
      }
    } catch {
      // Refused, cut, or hung up by us: all the same, it is no more.
    }
    clearTimeout(late);
    if (this.#stop === stop) this.#retry(wait);
  }

  async #read(response, stop) {
    this.#attempt = 0;
    this.#heardAt = Date.now();
    this.#patience = 2_000 * (Number(response.headers.get("wakeful-heartbeat")) || HEARTBEAT_SECONDS) + GRACE_MS;
    this.#tell.onOpen();
    const frames = new Frames();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    while (this.#stop === stop) {
      const { value, done } = await reader.read();
      if (done || this.#stop !== stop) return;
      this.#heardAt = Date.now();
      for (const frame of frames.push(value)) this.#tell.onFrame(frame);
    }
  }

  #retry(least) {
    this.#stop = null;
    this.#attempt += 1;
    const wait = Math.max(least, backoff(this.#attempt));
    this.#timer = setTimeout(() => this.open(), wait);
    this.#tell.onLost({ attempt: this.#attempt, retryAt: Date.now() + wait });
  }

  // A stalled line, and a computer that slept, look alike: nothing was heard for too long.
  #look() {
    if (this.#stop && Date.now() - this.#heardAt > this.#patience) this.#stop.abort();
  }
}

function backoff(attempt) {
  const most = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return most * (0.5 + Math.random() / 2);
}
