// The hub with a real event stream; `fetch` is faked and the timers are mocked.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Hub } from "../../../src/wakeful/web/static/js/stream/hub.js";

let asked = [];
let streams = [];

beforeEach(() => {
  asked = [];
  streams = [];
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  globalThis.fetch = (address, { signal }) => {
    asked.push(decodeURIComponent(address));
    return new Promise((resolve, reject) => {
      const stream = {};
      stream.open = () => {
        const body = new ReadableStream({ start: (controller) => (stream.controller = controller) });
        signal.addEventListener("abort", () => stream.end(new Error("aborted")));
        resolve({ ok: true, body, headers: new Map() });
      };
      stream.refuse = (status) => resolve({ ok: false, status, headers: new Map() });
      stream.end = (error) => {
        try {
          error ? stream.controller.error(error) : stream.controller.close();
        } catch {
          // Already ended.
        }
      };
      stream.send = (text) => stream.controller.enqueue(new TextEncoder().encode(text));
      signal.addEventListener("abort", () => reject(new Error("aborted")));
      streams.push(stream);
    });
  };
});

afterEach(() => mock.timers.reset());

async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function page(hub, session, after) {
  const heard = [];
  const reader = {};
  const say = (kind, more = {}) => hub.receive(reader, (message) => heard.push(message), { kind, session, after, ...more });
  say("follow");
  return { heard, say };
}

async function opened(hub) {
  mock.timers.tick(40);
  await settle();
  streams.at(-1).open();
  await settle();
  return hub;
}

const token = (id, text) =>
  `id: ${id}\nevent: token\ndata: {"session_id": "${id.split(":")[0]}", "text": "${text}"}\n\n`;
const frames = (heard) => heard.filter((message) => message.kind === "frame").map((message) => message.cursor);

test("pages that open at once share a stream, from the lowest cursor of each session", async () => {
  const hub = new Hub();
  page(hub, "a", "7");
  page(hub, "a", "5.1");
  page(hub, "b", "3");
  page(hub, null, "0");
  await opened(hub);
  assert.deepEqual(asked, ["/api/stream?sessions=a,b&turns=inline&html=1&rows=1&news=1&work=1&after=a:5.1,b:3"]);
});

test("a frame reaches the pages of its session only, and a row reaches all", async () => {
  const hub = new Hub();
  const one = page(hub, "a", "0");
  const other = page(hub, "b", "0");
  await opened(hub);
  streams[0].send(token("a:1", "x"));
  streams[0].send('id: a:1,b:0\nevent: session_row\ndata: {"row": {"session_id": "a"}}\n\n');
  await settle();
  assert.deepEqual(frames(one.heard), ["1", null]);
  assert.deepEqual(frames(other.heard), [null]);
});

test("a broken stream continues from the cursor of each page", async () => {
  const hub = new Hub();
  page(hub, "a", "1");
  await opened(hub);
  streams[0].send(token("a:4", "x"));
  await settle();
  streams[0].end();
  await settle();
  mock.timers.tick(400);
  await settle();
  assert.ok(asked[1].endsWith("after=a:4"), asked[1]);
});

test("a page that opens later is served from its own cursor, and no page misses a frame", async () => {
  const hub = new Hub();
  page(hub, "a", "1");
  await opened(hub);
  streams[0].send(token("a:9", "x"));
  await settle();
  page(hub, "a", "6");
  await opened(hub);
  assert.ok(asked[1].endsWith("after=a:6"), asked[1]);
});

test("a page that opens later gets no frames of a stream that is ahead of it", async () => {
  const hub = new Hub();
  page(hub, "a", "9");
  await opened(hub);
  const late = page(hub, "a", "9~9~2");
  streams[0].send(token("a:9~9~7", "x"));
  await settle();
  await opened(hub);
  assert.deepEqual(frames(late.heard), []);
  assert.ok(asked[1].endsWith("after=a:9~9~2"), asked[1]);
});

test("a stream that breaks inside text continues there", async () => {
  const hub = new Hub();
  page(hub, "a", "9");
  page(hub, "a", "9~9~3");
  await opened(hub);
  for (const piece of [1, 2, 3, 4]) streams[0].send(token(`a:9~9~${piece}`, "x"));
  await settle();
  streams[0].end();
  await settle();
  mock.timers.tick(400);
  await settle();
  assert.ok(asked[1].endsWith("after=a:9~9~4"), asked[1]);
});

test("a silent stream is given up, and comments keep one alive", async () => {
  const hub = new Hub();
  const { heard } = page(hub, "a", "1");
  await opened(hub);
  for (let round = 0; round < 4; round += 1) {
    mock.timers.tick(15_000);
    streams[0].send(":\n\n");
    await settle();
  }
  assert.equal(asked.length, 1);
  mock.timers.tick(36_000);
  await settle();
  assert.equal(heard.at(-1).kind, "lost");
  mock.timers.tick(400);
  await settle();
  assert.equal(asked.length, 2);
});

test("the session of a page that closed or fell silent is no longer followed", async () => {
  const hub = new Hub();
  const leaving = page(hub, "a", "1");
  page(hub, "b", "1");
  const staying = page(hub, "c", "1");
  await opened(hub);
  leaving.say("bye");
  await opened(hub);
  assert.ok(asked.at(-1).includes("sessions=b,c&"), asked.at(-1));
  for (let round = 0; round < 25 && asked.length === 2; round += 1) {
    staying.say("beat");
    streams.at(-1).send(":\n\n");
    mock.timers.tick(10_000);
    await settle();
  }
  assert.ok(asked.at(-1).includes("sessions=c&"), asked.at(-1));
});

test("pages learn that a stream was refused, and it is retried with backoff", async () => {
  const hub = new Hub();
  const { heard } = page(hub, "a", "1");
  mock.timers.tick(40);
  await settle();
  streams[0].refuse(404);
  await settle();
  assert.deepEqual(
    heard.filter((message) => message.kind === "refused"),
    [{ kind: "refused", status: 404 }],
  );
  const waits = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const { retryAt } = heard.at(-1);
    waits.push(retryAt - Date.now());
    mock.timers.tick(retryAt - Date.now() + 1);
    await settle();
    streams.at(-1).refuse(503);
    await settle();
  }
  assert.ok(waits[0] <= 400 && waits.at(-1) > 4_000 && waits.at(-1) <= 15_000, waits.join(" "));
});

test("when the browser reports offline, the stream is reopened, and only a failure counts", async () => {
  const hub = new Hub();
  const reader = page(hub, "a", "5");
  await opened(hub);
  reader.say("doubt");
  await opened(hub);
  assert.equal(asked.length, 2);
  assert.deepEqual(reader.heard.map((message) => message.kind).filter((kind) => kind === "lost").length, 1, "only before it began");
});

const news = (id, session) => `id: ${id}\nevent: news\ndata: {"session_id": "${session}", "news_id": 1}\n\n`;

test("news of any session reaches every page, with whether it is in view somewhere", async () => {
  const hub = new Hub();
  const shown = page(hub, "a", "0");
  const hidden = page(hub, "b", "0");
  hidden.say("beat", { isHidden: true });
  await opened(hub);
  streams[0].send(news("a:0,b:0,news:8", "a") + news("a:0,b:0,news:9", "b"));
  await settle();
  const newsOf = ({ heard }) => heard.filter((one) => one.kind === "news").map((one) => [one.isShown, one.isLookedAt]);
  assert.deepEqual(newsOf(shown), [[true, true], [false, true]]);
  assert.deepEqual(newsOf(hidden), newsOf(shown));
});

test("a broken stream continues after the last news, even when no session is followed", async () => {
  const hub = new Hub();
  page(hub, null, "0");
  await opened(hub);
  assert.ok(!asked[0].includes("after="), asked[0]);
  streams[0].send('id: news:57\nevent: news_initial\ndata: {"last_news_id": 57}\n\n');
  streams[0].send(news("news:58", "a"));
  await settle();
  streams[0].end();
  await settle();
  mock.timers.tick(400);
  await settle();
  assert.ok(asked[1].endsWith("after=news:58"), asked[1]);
});
