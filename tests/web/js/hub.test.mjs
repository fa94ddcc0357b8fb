// The hub with a line of its own: `fetch` is the network, and the clock of the tests is node's.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Hub } from "../../../src/wakeful/web/static/js/stream/hub.js";

let asked = [];
let lines = [];

beforeEach(() => {
  asked = [];
  lines = [];
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  globalThis.fetch = (address, { signal }) => {
    asked.push(decodeURIComponent(address));
    return new Promise((resolve, reject) => {
      const line = {};
      line.open = () => {
        const body = new ReadableStream({ start: (controller) => (line.controller = controller) });
        signal.addEventListener("abort", () => line.end(new Error("aborted")));
        resolve({ ok: true, body, headers: new Map() });
      };
      line.refuse = (status) => resolve({ ok: false, status, headers: new Map() });
      line.end = (error) => {
        try {
          error ? line.controller.error(error) : line.controller.close();
        } catch {
          // It has ended already.
        }
      };
      line.send = (text) => line.controller.enqueue(new TextEncoder().encode(text));
      signal.addEventListener("abort", () => reject(new Error("aborted")));
      lines.push(line);
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
  const say = (kind, more = {}) => hub.hear(reader, (told) => heard.push(told), { kind, session, after, ...more });
  say("follow");
  return { heard, say };
}

async function opened(hub) {
  mock.timers.tick(40);
  await settle();
  lines.at(-1).open();
  await settle();
  return hub;
}

const token = (id, text) =>
  `id: ${id}\nevent: token\ndata: {"session_id": "${id.split(":")[0]}", "text": "${text}"}\n\n`;
const frames = (heard) => heard.filter((told) => told.kind === "frame").map((told) => told.cursor);

test("pages that come at once share one line, from the lowest cursor of each session", async () => {
  const hub = new Hub();
  page(hub, "a", "7");
  page(hub, "a", "5.1");
  page(hub, "b", "3");
  page(hub, null, "0");
  await opened(hub);
  assert.deepEqual(asked, ["/api/stream?sessions=a,b&turns=inline&html=1&rows=1&news=1&after=a:5.1,b:3"]);
});

test("a frame reaches the pages of its session only, and a row reaches all", async () => {
  const hub = new Hub();
  const one = page(hub, "a", "0");
  const other = page(hub, "b", "0");
  await opened(hub);
  lines[0].send(token("a:1", "x"));
  lines[0].send('id: a:1,b:0\nevent: session_row\ndata: {"row": {"session_id": "a"}}\n\n');
  await settle();
  assert.deepEqual(frames(one.heard), ["1", null]);
  assert.deepEqual(frames(other.heard), [null]);
});

test("a line that is cut goes on where each page is", async () => {
  const hub = new Hub();
  page(hub, "a", "1");
  await opened(hub);
  lines[0].send(token("a:4", "x"));
  await settle();
  lines[0].end();
  await settle();
  mock.timers.tick(400);
  await settle();
  assert.ok(asked[1].endsWith("after=a:4"), asked[1]);
});

test("a page that comes later is served from its own cursor, and nobody is lost", async () => {
  const hub = new Hub();
  page(hub, "a", "1");
  await opened(hub);
  lines[0].send(token("a:9", "x"));
  await settle();
  page(hub, "a", "6");
  await opened(hub);
  assert.ok(asked[1].endsWith("after=a:6"), asked[1]);
});

test("a page that comes later does not hear a line that is further than it is", async () => {
  const hub = new Hub();
  page(hub, "a", "9");
  await opened(hub);
  const late = page(hub, "a", "9~9~2");
  lines[0].send(token("a:9~9~7", "x"));
  await settle();
  await opened(hub);
  assert.deepEqual(frames(late.heard), []);
  assert.ok(asked[1].endsWith("after=a:9~9~2"), asked[1]);
});

test("a line that is cut in the middle of words goes on there", async () => {
  const hub = new Hub();
  page(hub, "a", "9");
  page(hub, "a", "9~9~3");
  await opened(hub);
  for (const place of [1, 2, 3, 4]) lines[0].send(token(`a:9~9~${place}`, "x"));
  await settle();
  lines[0].end();
  await settle();
  mock.timers.tick(400);
  await settle();
  assert.ok(asked[1].endsWith("after=a:9~9~4"), asked[1]);
});

test("a line on which nothing comes is given up, and comments keep one alive", async () => {
  const hub = new Hub();
  const { heard } = page(hub, "a", "1");
  await opened(hub);
  for (let round = 0; round < 4; round += 1) {
    mock.timers.tick(15_000);
    lines[0].send(":\n\n");
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

test("the session of a page that has gone is followed no longer, nor that of one that fell silent", async () => {
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
    lines.at(-1).send(":\n\n");
    mock.timers.tick(10_000);
    await settle();
  }
  assert.ok(asked.at(-1).includes("sessions=c&"), asked.at(-1));
});

test("pages hear that a line was refused, and it is tried again with patience", async () => {
  const hub = new Hub();
  const { heard } = page(hub, "a", "1");
  mock.timers.tick(40);
  await settle();
  lines[0].refuse(404);
  await settle();
  assert.deepEqual(
    heard.filter((told) => told.kind === "refused"),
    [{ kind: "refused", status: 404 }],
  );
  const waits = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const { retryAt } = heard.at(-1);
    waits.push(retryAt - Date.now());
    mock.timers.tick(retryAt - Date.now() + 1);
    await settle();
    lines.at(-1).refuse(503);
    await settle();
  }
  assert.ok(waits[0] <= 400 && waits.at(-1) > 4_000 && waits.at(-1) <= 15_000, waits.join(" "));
});

test("a browser that says it is offline makes the line be tried again, and is believed only if that fails", async () => {
  const hub = new Hub();
  const reader = page(hub, "a", "5");
  await opened(hub);
  reader.say("doubt");
  await opened(hub);
  assert.equal(asked.length, 2);
  assert.deepEqual(reader.heard.map((told) => told.kind).filter((kind) => kind === "lost").length, 1, "only before it began");
});

const news = (id, session) => `id: ${id}\nevent: news\ndata: {"session_id": "${session}", "news_id": 1}\n\n`;

test("news of any session reaches every page, with whether it is in view somewhere", async () => {
  const hub = new Hub();
  const shown = page(hub, "a", "0");
  const hidden = page(hub, "b", "0");
  hidden.say("beat", { isHidden: true });
  await opened(hub);
  lines[0].send(news("a:0,b:0,news:8", "a") + news("a:0,b:0,news:9", "b"));
  await settle();
  const told = ({ heard }) => heard.filter((one) => one.kind === "news").map((one) => [one.isShown, one.isLookedAt]);
  assert.deepEqual(told(shown), [[true, true], [false, true]]);
  assert.deepEqual(told(hidden), told(shown));
});

test("a line that is cut goes on after the last news that was told, also where no session is followed", async () => {
  const hub = new Hub();
  page(hub, null, "0");
  await opened(hub);
  assert.ok(!asked[0].includes("after="), asked[0]);
  lines[0].send('id: news:57\nevent: news_initial\ndata: {"last_news_id": 57}\n\n');
  lines[0].send(news("news:58", "a"));
  await settle();
  lines[0].end();
  await settle();
  mock.timers.tick(400);
  await settle();
  assert.ok(asked[1].endsWith("after=news:58"), asked[1]);
});
