import assert from "node:assert/strict";
import { test } from "node:test";

import { isUnread, markOf, Rows } from "../../../src/wakeful/web/static/js/sidebar/rows.js";

const NOW = new Date("2026-05-20T12:00:00Z");

function row(id, more = {}) {
  return { session_id: id, updated_at: "2026-05-20T10:00:00.000Z", pinned: false, unread: false, needs_you: 0, running_tasks: 0, active_turn_id: null, last_status: null, ...more };
}

test("rows are grouped by day, with the pinned ones first", () => {
  const rows = new Rows();
  rows.put([row("a"), row("b", { updated_at: "2026-05-19T10:00:00.000Z" }), row("c", { updated_at: "2026-05-15T10:00:00.000Z" }), row("d", { updated_at: "2026-01-02T10:00:00.000Z", pinned: true })]);
  assert.deepEqual(
    rows.groups(NOW).map((group) => [group.name, group.rows.map((one) => one.session_id)]),
    [["Pinned", ["d"]], ["Today", ["a"]], ["Yesterday", ["b"]], ["Last week", ["c"]]],
  );
});

test("a changed row is shown once, at its new position", () => {
  const rows = new Rows();
  rows.put([row("a"), row("b", { updated_at: "2026-05-20T11:00:00.000Z" })]);
  rows.put([row("a", { updated_at: "2026-05-20T11:30:00.000Z" })]);
  assert.deepEqual(rows.ordered().map((one) => one.session_id), ["a", "b"]);
});

test("of several marks the one that matters most is shown", () => {
  assert.equal(markOf(row("a", { needs_you: 1, unread: true, running_tasks: 2 })), "needs");
  assert.equal(markOf(row("a", { unread: true, last_status: "failed", running_tasks: 2 })), "fail");
  assert.equal(markOf(row("a", { unread: true, running_tasks: 2 })), "live");
  assert.equal(markOf(row("a", { unread: true })), "unread");
  assert.equal(markOf(row("a")), null);
});

test("a refresh replaces the newest rows, and those far down the list stay", () => {
  const rows = new Rows();
  const at = (id, hour, more) => row(id, { updated_at: `2026-05-20T${hour}:00:00.000Z`, ...more });
  rows.put([at("p", "01", { pinned: true }), at("a", "11"), at("b", "10"), at("c", "09"), at("d", "08")]);
  assert.equal(rows.refresh([at("e", "12"), at("a", "11", { title: "New" }), at("c", "09")]), true);
  assert.deepEqual(rows.ordered().map((one) => one.session_id), ["e", "a", "c", "d"], "b and p are gone, d is beyond");
  assert.equal(rows.get("a").title, "New");
  assert.equal(rows.refresh([at("d", "08")]), false);
});

test("a session in view is not unread; in a hidden tab it is", () => {
  const woken = row("a", { unread: true, last_status: "failed" });
  assert.equal(isUnread(woken, "a", false), false);
  assert.equal(isUnread(woken, "a", true), true);
  assert.equal(isUnread(woken, "b", false), true);
  assert.equal(markOf(woken, isUnread(woken, "a", false)), null);
});
