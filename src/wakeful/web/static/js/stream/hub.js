// The readers of the line: each page says which session it shows and up to where it has it. The line is opened for all
// of them, from the lowest cursor of each session; whoever is further drops what it has by its own cursor.
// News of all sessions has one cursor for all pages, which is kept here: a line that was cut goes on after the last.

import { cursorOf, joinCursors, lowest, moveOn } from "./cursor.js";
import { Line } from "./line.js";

// Several pages that come at once are one change.
const GATHER_MS = 30;
// A page says every 20 s that it lives, in the background once a minute; one that crashed cannot say goodbye.
const SILENT_MS = 150_000;
const MOST_SESSIONS = 100;
// Of the frame, and of its part in a cursor, where it stands like a session.
const NEWS = "news";
const CLOSED = { kind: "lost", attempt: 0, retryAt: 0 };

export class Hub {
  #readers = new Map();
  #line;
  #timer = 0;
  #status = CLOSED;
  // The newest news that was told; null until the first line has named one.
  #newsAt = null;

  constructor() {
    this.#line = new Line(() => this.#address(), {
      onFrame: (frame) => this.#pass(frame),
      onOpen: () => this.#report({ kind: "open" }),
      onLost: (how) => this.#report({ kind: "lost", ...how }),
      onRefused: (status) => this.#tellAll({ kind: "refused", status }),
    });
    setInterval(() => this.#dropSilent(), SILENT_MS / 3);
  }

  // `tell(message)` reaches the page.
  hear(reader, tell, message) {
    const known = this.#readers.get(reader);
    if (message.kind === "bye") {
      this.#forget(reader);
    } else if (message.kind === "hurry") {
      this.#line.hurry();
    } else if (message.kind === "doubt") {
      this.#openSoon();
    } else if (!known || message.kind === "follow") {
      const { session, after, isHidden } = message;
      // The line may be further than this reader: until it is opened anew, what it tells is not for it.
      this.#readers.set(reader, { tell, session, after, isHidden, isWaiting: true, heardAt: Date.now() });
      // It is opened anew for this reader, who hears of that.
      if (this.#status.kind === "lost") tell(this.#status);
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
    this.#line.close();
    this.#status = CLOSED;
  }

  #dropSilent() {
    for (const [reader, { heardAt }] of this.#readers) if (Date.now() - heardAt > SILENT_MS) this.#forget(reader);
  }

  #openSoon() {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      if (this.#readers.size) this.#line.open();
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
    const query = { sessions: [...followed.keys()].join(","), turns: "inline", html: 1, rows: 1, news: 1 };
    if (this.#newsAt !== null) followed.set(NEWS, this.#newsAt);
    if (followed.size) query.after = joinCursors(followed);
    return `/api/stream?${new URLSearchParams(query)}`;
  }

  #pass(frame) {
    this.#newsAt = cursorOf(frame.id, NEWS) ?? this.#newsAt;
    if (frame.name === NEWS) {
      this.#tellNews(frame.data);
      return;
    }
    const session = sessionOf(frame);
    const cursor = session ? cursorOf(frame.id, session) : null;
    for (const reader of this.#readers.values()) {
      if (session && (reader.session !== session || reader.isWaiting)) continue;
      if (cursor) reader.after = moveOn(reader.after, { name: frame.name, cursor }) ?? reader.after;
      reader.tell({ kind: "frame", name: frame.name, cursor, data: frame.data });
    }
  }

  // Every page hears of it, and whether some page in view shows its session, or any session at all: a hidden page stays
  // silent about what another one tells.
  #tellNews(data) {
    const { session_id: session } = JSON.parse(data);
    const inView = [...this.#readers.values()].filter((reader) => !reader.isHidden);
    const isShown = inView.some((reader) => reader.session === session);
    this.#tellAll({ kind: "news", data, isShown, isLookedAt: inView.length > 0 });
  }

  #report(status) {
    this.#status = status;
    this.#tellAll(status);
  }

  #tellAll(message) {
    for (const reader of this.#readers.values()) reader.tell(message);
  }
}

// Rows and the like concern every page.
const FOR_ALL = new Set(["session_row", "session_gone", "heartbeat", "news_initial"]);

function sessionOf(frame) {
  if (FOR_ALL.has(frame.name)) return null;
  return JSON.parse(frame.data).session_id ?? null;
}
