// Serves all pages over one stream. Each page says which session it shows and its cursor there. The stream is opened
// from the lowest cursor of each session; pages that are further skip what they have.
// News of all sessions has one cursor for all pages, kept here: a new stream continues after the last news.

import { cursorOf, joinCursors, lowest, moveOn } from "./cursor.js";
import { EventStream } from "./event_stream.js";

// Pages that arrive within this time cause one reconnect.
const GATHER_MS = 30;
// Pages send a beat every 20 s, in the background once a minute. A crashed page sends no goodbye.
const SILENT_MS = 150_000;
const MOST_SESSIONS = 100;
// The name of the frame, and of its part in a cursor beside the session ids.
const NEWS = "news";
const CLOSED = { kind: "lost", attempt: 0, retryAt: 0 };

export class Hub {
  #readers = new Map();
  #stream;
  #timer = 0;
  #status = CLOSED;
  // The cursor of the last news; null until the first stream has sent one.
  #newsAt = null;

  constructor() {
    this.#stream = new EventStream(() => this.#address(), {
      onFrame: (frame) => this.#pass(frame),
      onOpen: () => this.#report({ kind: "open" }),
      onLost: (how) => this.#report({ kind: "lost", ...how }),
      onRefused: (status) => this.#sendAll({ kind: "refused", status }),
    });
    setInterval(() => this.#dropSilent(), SILENT_MS / 3);
  }

  // Handles a message of a page; `send(message)` replies to it.
  receive(reader, send, message) {
    const known = this.#readers.get(reader);
    if (message.kind === "bye") {
      this.#forget(reader);
    } else if (message.kind === "hurry") {
      this.#stream.hurry();
    } else if (message.kind === "doubt") {
      this.#openSoon();
    } else if (!known || message.kind === "follow") {
      const { session, after, isHidden } = message;
      // The stream may be ahead of this reader: its frames are not for the reader until the stream is reopened.
      this.#readers.set(reader, { send, session, after, isHidden, isWaiting: true, heardAt: Date.now() });
      // When the stream is open, reopening it will report that.
      if (this.#status.kind === "lost") send(this.#status);
      this.#openSoon();
    } else {
      known.heardAt = Date.now();
      known.isHidden = message.isHidden;
    }
  }

  #forget(reader) {
    const left = this.#readers.get(reader);
    this.#readers.delete(reader);
    const isLast = left?.session && ![...this.#readers.values()].some((other) => other.session === left.session);
    if (!this.#readers.size) this.#close();
    else if (isLast) this.#openSoon();
  }

  #close() {
    this.#stream.close();
    this.#status = CLOSED;
  }

  #dropSilent() {
    for (const [reader, { heardAt }] of this.#readers) if (Date.now() - heardAt > SILENT_MS) this.#forget(reader);
  }

  #openSoon() {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      if (this.#readers.size) this.#stream.open();
    }, GATHER_MS);
  }

  #address() {
    const cursors = new Map();
    for (const reader of this.#readers.values()) {
      const { session, after } = reader;
      reader.isWaiting = false;
      if (session) cursors.set(session, cursors.has(session) ? lowest([cursors.get(session), after]) : after);
    }
    const followed = new Map([...cursors].slice(-MOST_SESSIONS));
    const query = { sessions: [...followed.keys()].join(","), turns: "inline", html: 1, rows: 1, news: 1, work: 1 };
    if (this.#newsAt !== null) followed.set(NEWS, this.#newsAt);
    if (followed.size) query.after = joinCursors(followed);
    return `/api/stream?${new URLSearchParams(query)}`;
  }

  #pass(frame) {
    this.#newsAt = cursorOf(frame.id, NEWS) ?? this.#newsAt;
    if (frame.name === NEWS) {
      this.#sendNews(frame.data);
      return;
    }
    const session = sessionOf(frame);
    const cursor = session ? cursorOf(frame.id, session) : null;
    for (const reader of this.#readers.values()) {
      if (session && (reader.session !== session || reader.isWaiting)) continue;
      if (cursor) reader.after = moveOn(reader.after, { name: frame.name, cursor }) ?? reader.after;
      reader.send({ kind: "frame", name: frame.name, cursor, data: frame.data });
    }
  }

  // Sends news to every page, with whether a page in view shows its session and whether any page is in view: hidden
  // pages stay silent about what another page shows.
  #sendNews(data) {
    const { session_id: session } = JSON.parse(data);
    const inView = [...this.#readers.values()].filter((reader) => !reader.isHidden);
    const isShown = inView.some((reader) => reader.session === session);
    this.#sendAll({ kind: "news", data, isShown, isLookedAt: inView.length > 0 });
  }

  #report(status) {
    this.#status = status;
    this.#sendAll(status);
  }

  #sendAll(message) {
    for (const reader of this.#readers.values()) reader.send(message);
  }
}

// These frames go to every page.
const FOR_ALL = new Set(["session_row", "session_gone", "heartbeat", "news_initial"]);

function sessionOf(frame) {
  if (FOR_ALL.has(frame.name)) return null;
  return JSON.parse(frame.data).session_id ?? null;
}
