import assert from "node:assert/strict";
import { test } from "node:test";

import { Axis } from "../../../src/wakeful/web/static/js/timeline/axis.js";
import { pack } from "../../../src/wakeful/web/static/js/timeline/lanes.js";
import { scene } from "../../../src/wakeful/web/static/js/timeline/scene.js";
import { story } from "../../../src/wakeful/web/static/js/timeline/story.js";

const ROOM = { left: 100, width: 1000 };

test("a busy stretch fills the room, in order", () => {
  const axis = new Axis([[1000, 1100], [1300, 1500]], ROOM);
  assert.equal(axis.x(1000), 100);
  assert.equal(Math.round(axis.x(1500)), 1100);
  assert.ok(axis.x(1100) < axis.x(1300));
});

test("an idle stretch of more than a quarter of an hour becomes a break with its length", () => {
  const axis = new Axis([[0, 100], [10_000, 10_100]], ROOM);
  assert.deepEqual(axis.breaks().map((one) => one.seconds), [9900]);
  assert.equal(axis.x(5000), axis.x(100));
});

test("tasks that overlap are on lines of their own, and the newest are kept", () => {
  const spans = Array.from({ length: 6 }, (_, index) => ({ from: index, to: 100 }));
  const packed = pack(spans);
  assert.equal(packed.lanes, 4);
  assert.equal(packed.hidden, 2);
  assert.deepEqual(packed.spans.map((span) => span.lane), [-1, -1, 3, 2, 1, 0]);
});

test("tasks that follow each other share a line", () => {
  assert.equal(pack([{ from: 0, to: 10 }, { from: 10, to: 20 }]).lanes, 1);
});

const DATA = {
  turns: [
    { turn_id: "t1", number: 1, source: "user", status: "done", opened_at: 0, closed_at: 20 },
    { turn_id: "t2", number: 2, source: "process_wakeup", status: "done", opened_at: 60, closed_at: 70 },
  ],
  tasks: [{ id: "proc_1", kind: "process", command: "make", status: "exited", exit_code: 1, started_at: 10, ended_at: 60, turn_id: "t1" }],
  notices: [{ task_id: "proc_1", turn_id: "t2", delivered: "opened", at: 60, kind: "process" }],
  now: 80,
};

test("an arrow rises from the end of a task into the turn that it woke", () => {
  const drawn = scene(DATA, { width: 1200, isNarrow: false });
  const [arrow] = drawn.wakes;
  assert.ok(arrow.isUpright);
  assert.equal(arrow.x, drawn.tasks[0].end);
  assert.ok(drawn.turns[1].isWakeup && !drawn.turns[0].isWakeup);
});

test("a turn that an edit has left has no number and no way to it", () => {
  const again = { turn_id: "t3", number: 1, source: "user", status: "done", opened_at: 75, closed_at: 78 };
  const turns = [...DATA.turns, again];
  const drawn = scene({ ...DATA, turns }, { width: 1200, isNarrow: false });
  assert.deepEqual(drawn.turns.map((bar) => bar.isLeft), [true, true, false]);
  assert.ok(!story({ ...DATA, turns }).includes("Turn 2"));
});

test("a session without turns has no timeline", () => {
  assert.equal(scene({ ...DATA, turns: [] }, { width: 1200, isNarrow: false }), null);
});

test("the story tells who started and who woke whom", () => {
  assert.equal(
    story(DATA),
    "Timeline. Turn 1, asked by you, started proc_1. Turn 2, woken by proc_1. proc_1 failed after 50 s and woke turn 2.",
  );
});
