// How doors are doing and what has become of posts, in words.

import assert from "node:assert/strict";
import { test } from "node:test";

import { doorCounts, doorWords, when } from "../../../src/wakeful/web/static/js/doors/door_words.js";
import { placeWords, PLATFORMS } from "../../../src/wakeful/web/static/js/doors/platforms.js";
import { postWords, stuckWords } from "../../../src/wakeful/web/static/js/doors/post_words.js";
import { clock } from "../../../src/wakeful/web/static/js/format.js";

const NOW = new Date("2026-05-20T12:00:00Z");
const SINCE = "2026-05-20T11:58:00.000Z";
const AT = clock(new Date(SINCE));
const [TELEGRAM, DISCORD, SLACK] = PLATFORMS;

function door(more = {}) {
  return { name: "telegram", state: "connected", since: SINCE, bot: "bot", error: "", waiting: 0, unknown: 0, refused: 0, ...more };
}

function post(more = {}) {
  return { id: "post_1", platform: "telegram", chat_id: "-100", chat_name: "Ops", state: "waiting", text: "Done", error: "", message_id: "", not_before: null, ...more };
}

// As a person reads it.
function read(parts) {
  return parts.map((part) => part.code ?? part).join("");
}

test("a door that works says since when", () => {
  assert.equal(read(doorWords(TELEGRAM, door(), NOW)), `Connected since ${AT}`);
  assert.equal(when("2026-05-19T11:58:00.000Z", NOW), `Yesterday ${clock(new Date("2026-05-19T11:58:00.000Z"))}`);
});

test("a door that does not work says why, and what happens or what to do", () => {
  const lost = read(doorWords(DISCORD, door({ state: "retrying", error: "no route to host" }), NOW));
  const refused = read(doorWords(SLACK, door({ state: "refused", error: "Set WAKEFUL_SLACK_BOT_TOKEN." }), NOW));
  assert.equal(lost, `No connection since ${AT}: no route to host. It is tried again once a minute or more often. docs/discord.md says more.`);
  assert.equal(refused, `Refused since ${AT}. Set WAKEFUL_SLACK_BOT_TOKEN. Then restart the server; the old token is tried again every 10 minutes. docs/slack.md says more.`);
});

test("a door that is not set up names every setting that it needs", () => {
  const words = read(doorWords(SLACK, null));
  assert.match(words, /install wakeful\[slack\], set WAKEFUL_SLACK_BOT_TOKEN and WAKEFUL_SLACK_APP_TOKEN and restart the server\. docs\/slack\.md/);
  assert.doesNotMatch(read(doorWords(TELEGRAM, null)), /install/);
});

test("a door counts people and posts, and leaves out what it has none of", () => {
  assert.equal(doorCounts(door(), 0), "");
  assert.equal(doorCounts(door({ waiting: 1, unknown: 2, refused: 1 }), 3), "3 people paired · 1 post waits · 2 posts whose arrival is unknown · 1 post refused");
});

test("a place is a platform and a chat, by its id when it has no name", () => {
  assert.equal(placeWords(post()), "Telegram, Ops");
  assert.equal(placeWords(post({ chat_name: "" })), "Telegram, -100");
});

test("a waiting post says what it waits for", () => {
  const later = "2026-05-20T12:00:12.000Z";
  assert.equal(postWords(post(), undefined, NOW), "waits until Telegram is set up again");
  assert.equal(postWords(post(), door({ state: "refused" }), NOW), "waits until Telegram is connected");
  assert.equal(postWords(post({ not_before: later, error: "Too many requests." }), door(), NOW), "waits for 12 s more: Too many requests");
  assert.equal(postWords(post({ platform: "webhook", not_before: later }), undefined, NOW), "waits for 12 s more");
  assert.equal(postWords(post({ not_before: later }), door(), new Date("2026-05-20T12:01:00Z")), "waits for its turn");
});

test("a refused post says why, and whether something of it is there", () => {
  const refused = { state: "refused", error: "Forbidden." };
  assert.equal(postWords(post(refused), door(), NOW), "Forbidden");
  assert.equal(postWords(post({ ...refused, message_id: "7" }), door(), NOW), "its last change was refused, what was sent before stays there: Forbidden");
});

test("a session tells of refused posts first, then of unknown ones, else nothing", () => {
  const refused = post({ state: "refused", error: "Forbidden" });
  const unknown = post({ state: "unknown" });
  assert.deepEqual(stuckWords([refused, refused, unknown]), { title: "Telegram refused 2 posts of this session.", text: "Forbidden." });
  assert.equal(stuckWords([unknown]).title, "It is not known whether a post reached Telegram.");
  assert.equal(stuckWords([]), null);
});
