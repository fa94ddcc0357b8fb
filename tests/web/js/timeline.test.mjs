import assert from "node:assert/strict";
import { test } from "node:test";

import { Axis } from "../../../src/wakeful/web/static/js/timeline/axis.js";
import { gaps } from "../../../src/wakeful/web/static/js/timeline/labels.js";
import { pack } from "../../../src/wakeful/web/static/js/timeline/lanes.js";
import { scene } from "../../../src/wakeful/web/static/js/timeline/scene.js";
import { inShort, story } from "../../../src/wakeful/web/static/js/timeline/story.js";

const ROOM = { left: 100, width: 1000 };

test("a busy stretch fills the width, in order", () => {
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

const span = (id, from, to, more = {}) => ({ id, from, to, end: to, stems: [], isRunning: false, ...more });

test("overlapping jobs get separate lanes, and the newest are kept", () => {
  const spans = Array.from({ length: 6 }, (_, index) => span(`${index}`, index, 100));
  const packed = pack(spans);
  assert.equal(packed.lanes, 4);
  assert.equal(packed.hidden, 2);
  assert.deepEqual(spans.map((one) => one.lane === -1), [true, true, false, false, false, false]);
});

test("jobs that follow each other share a lane", () => {
  assert.equal(pack([span("a", 0, 10), span("b", 10, 20)]).lanes, 1);
});

test("the job that ends first lies on top, and running ones lie below", () => {
  const spans = [span("runs", 0, 100, { isRunning: true }), span("late", 1, 60), span("early", 2, 40)];
  pack(spans);
  assert.deepEqual(spans.map((one) => one.lane), [2, 1, 0]);
});

test("no job lies where an arrow from below would cross it", () => {
  const below = span("below", 10, 50, { stems: [48] });
  const later = span("later", 45, 90);
  const other = span("other", 0, 30, { stems: [28] });
  pack([below, later, other]);
  for (const one of [below, later, other]) {
    for (const stem of one.stems) {
      const crossed = [below, later, other].filter((two) => two.lane < one.lane && two.from < stem && stem < two.to);
      assert.deepEqual(crossed, []);
    }
  }
});

test("a job keeps its lane while the page is open", () => {
  const kept = new Map();
  pack([span("a", 0, 100, { isRunning: true })], kept);
  const [a, b] = [span("a", 0, 120, { isRunning: true }), span("b", 10, 60)];
  pack([a, b], kept);
  assert.equal(a.lane, 0);
  assert.equal(b.lane, 1);
});

test("a new job is never the one that is left out", () => {
  const kept = new Map();
  const old = Array.from({ length: 4 }, (_, index) => span(`${index}`, index, 100, { isRunning: true }));
  pack(old, kept);
  const added = span("new", 50, 100, { isRunning: true });
  const packed = pack([...old, added], kept);
  assert.notEqual(added.lane, -1);
  assert.equal(packed.hidden, 1);
  const before = old.map((one) => one.lane);
  pack([...old, added], kept);
  assert.deepEqual(old.map((one) => one.lane), before);
});

test("a strip is divided by the lines that cross it", () => {
  assert.deepEqual(gaps(0, 100, [50]), [[0, 45], [55, 100]]);
  assert.deepEqual(gaps(0, 100, []), [[0, 100]]);
  assert.deepEqual(gaps(0, 8, [4]), []);
});

const DATA = {
  turns: [
    { turn_id: "t1", number: 1, source: "user", status: "done", opened_at: 0, closed_at: 20 },
    { turn_id: "t2", number: 2, source: "process_wakeup", status: "done", opened_at: 60, closed_at: 70 },
  ],
  tasks: [{ id: "proc_1", kind: "process", command: "make", status: "failed", exit_code: 1, started_at: 10, ended_at: 60, turn_id: "t1" }],
  notices: [{ task_id: "proc_1", turn_id: "t2", delivered: "opened", posted_at: 60, at: 60, kind: "process" }],
  now: 80,
};

const LETTER = 6;
const draw = (data, more = {}) =>
  scene(data, { width: 1200, isNarrow: false, measure: (text) => text.length * LETTER, lanes: new Map(), ...more });

test("an arrow rises from the end of a job to the start of the turn that it opened", () => {
  const drawn = draw(DATA);
  const [arrow] = drawn.arrows;
  assert.equal(arrow.from, drawn.jobs[0].end);
  assert.equal(arrow.to, drawn.bars[1].x + 5);
  assert.ok(drawn.bars[1].isWakeup && !drawn.bars[0].isWakeup);
});

test("a job that ended while a turn ran waits in its lane until the turn that reads of it", () => {
  const turns = [{ ...DATA.turns[0], closed_at: 60 }, DATA.turns[1]];
  const tasks = [{ ...DATA.tasks[0], ended_at: 30 }];
  const [arrow] = draw({ ...DATA, turns, tasks, notices: [{ ...DATA.notices[0], posted_at: 30 }] }).arrows;
  assert.equal(arrow.bar.turn.turn_id, "t2");
  assert.ok(arrow.to - arrow.from > 100);
});

test("a job that joined a turn has its arrow, and a notch, where the turn read of it", () => {
  const turns = [{ ...DATA.turns[0], closed_at: 60 }];
  const notices = [{ ...DATA.notices[0], turn_id: "t1", delivered: "joined", posted_at: 20, at: 40 }];
  const drawn = draw({ ...DATA, turns, tasks: [{ ...DATA.tasks[0], ended_at: 20 }], notices });
  assert.equal(drawn.arrows[0].to, drawn.axis.x(40));
  assert.deepEqual(drawn.bars[0].notches, [drawn.axis.x(40)]);
  assert.ok(Math.abs(drawn.bars[0].name.x - drawn.axis.x(40)) > 3 * LETTER);
});

test("a watched line has its own mark, and its job goes on", () => {
  const turns = [DATA.turns[0], { ...DATA.turns[1], source: "watch_match", opened_at: 40 }];
  const tasks = [{ ...DATA.tasks[0], status: "running", exit_code: null, ended_at: null }];
  const notices = [{ ...DATA.notices[0], kind: "watch", posted_at: 40, at: 40 }];
  const drawn = draw({ ...DATA, turns, tasks, notices });
  assert.equal(drawn.arrows[0].from, drawn.axis.x(40));
  assert.ok(drawn.arrows[0].isWatch);
  assert.equal(drawn.jobs[0].end, drawn.now);
});

test("a notice that no turn has read waits until now, without an arrowhead", () => {
  const notices = [{ ...DATA.notices[0], turn_id: null, delivered: null, at: null }];
  const [arrow] = draw({ ...DATA, turns: [{ ...DATA.turns[0], closed_at: null, status: "running" }], notices }).arrows;
  assert.equal(arrow.bar, null);
  assert.ok(arrow.to > arrow.from);
});

test("an arrow never ends in a turn that did not read of the job", () => {
  const notices = [{ ...DATA.notices[0], turn_id: "elsewhere" }];
  assert.deepEqual(draw({ ...DATA, notices }).arrows, []);
});

test("jobs that open one turn together share its stem", () => {
  const tasks = [DATA.tasks[0], { ...DATA.tasks[0], id: "proc_2", started_at: 12, ended_at: 50 }];
  const notices = [DATA.notices[0], { ...DATA.notices[0], task_id: "proc_2", posted_at: 50 }];
  const { arrows: [one, other], jobs } = draw({ ...DATA, tasks, notices });
  assert.equal(one.to, other.to);
  assert.deepEqual(jobs.map((job) => [job.task.id, job.lane]), [["proc_1", 1], ["proc_2", 0]]);
});

test("turns in quick succession do not overlap, and each arrow ends in its own", () => {
  const turns = [DATA.turns[0], { ...DATA.turns[1], opened_at: 60, closed_at: 60.05 }, { ...DATA.turns[1], turn_id: "t3", number: 3, opened_at: 60.1, closed_at: 70 }];
  const { bars, arrows } = draw({ ...DATA, turns });
  assert.ok(bars[1].x + bars[1].width <= bars[2].x + 3);
  assert.ok(arrows[0].to > bars[1].x && arrows[0].to <= bars[1].x + bars[1].width);
});

test("a turn that failed or was stopped has its mark, and its colour still says who opened it", () => {
  const turns = [{ ...DATA.turns[0], status: "cancelled" }, { ...DATA.turns[1], status: "failed" }];
  const drawn = draw({ ...DATA, turns });
  assert.deepEqual(drawn.bars.map((bar) => [bar.mark, bar.isWakeup]), [["killed", false], ["fail", true]]);
});

test("a label takes the longest form that fits, and nothing runs through it", () => {
  const task = { ...DATA.tasks[0], id: "proc_abcd", command: "make check", exit_code: 2 };
  const labelled = (letter) => draw({ ...DATA, tasks: [task] }, { measure: (text) => text.length * letter }).jobs[0].label;
  assert.equal(labelled(6).note, "make check · exit code 2");
  assert.match(labelled(24).note, /^make check · .+…$/);
  assert.deepEqual([labelled(60).id, labelled(60).note], ["proc_abcd", ""]);
  assert.equal(labelled(120).id, "abcd");
  assert.equal(labelled(600), null);
});

test("threads of one turn are staggered, the deeper lane further left", () => {
  const tasks = [50, 55, 60].map((end, index) => ({ ...DATA.tasks[0], id: `proc_${index}`, started_at: 10, ended_at: end }));
  const { jobs } = draw({ ...DATA, tasks, notices: [] });
  const threads = [...jobs].sort((one, other) => one.lane - other.lane).map((job) => job.thread);
  assert.ok(threads[0] - threads[1] >= 5 && threads[1] - threads[2] >= 5);
});

test("labels avoid the threads and stems of the lanes below", () => {
  const turns = [DATA.turns[0], { ...DATA.turns[1], opened_at: 60, closed_at: 300 }, { ...DATA.turns[1], turn_id: "t3", number: 3, opened_at: 301, closed_at: 320 }];
  const first = { ...DATA.tasks[0], id: "proc_aaaa", status: "killed", exit_code: null, started_at: 61, ended_at: 200, turn_id: "t2" };
  const second = { ...DATA.tasks[0], id: "proc_bbbb", started_at: 110, ended_at: 300, turn_id: "t2" };
  const { jobs } = draw({ turns, tasks: [first, second], notices: [], now: 320 });
  const [upper, lower] = jobs;
  assert.ok(upper.lane < lower.lane);
  const end = upper.label.x + (upper.label.note ? upper.label.noteAt + upper.label.note.length * LETTER : upper.label.id.length * LETTER);
  assert.ok(end < lower.thread || upper.label.x > lower.thread);
});

test("a turn on an abandoned branch has no number and no link", () => {
  const again = { turn_id: "t3", number: 1, source: "user", status: "done", opened_at: 75, closed_at: 78 };
  const turns = [...DATA.turns, again];
  assert.deepEqual(draw({ ...DATA, turns }).bars.map((bar) => bar.isLeft), [true, true, false]);
  assert.ok(!story({ ...DATA, turns }).includes("Turn 2"));
});

test("a session without turns has no timeline", () => {
  assert.equal(draw({ ...DATA, turns: [] }), null);
});

test("the story tells who started and who woke whom", () => {
  assert.equal(
    story(DATA),
    "Timeline. Turn 1, asked by you, started proc_1. Turn 2, woken by proc_1. proc_1 failed after 50 s and woke turn 2.",
  );
});

test("the story tells a match apart from an end, and what only joined from what woke", () => {
  const match = { ...DATA.notices[0], kind: "watch", posted_at: 30, at: 30 };
  const end = { ...DATA.notices[0], turn_id: "t2", delivered: "joined", posted_at: 65, at: 65 };
  assert.ok(
    story({ ...DATA, notices: [match, end] }).endsWith(
      "proc_1 printed a watched line and woke turn 2 and failed after 50 s and was reported in turn 2.",
    ),
  );
});

test("on low screens one line sums up the session", () => {
  const turns = [{ ...DATA.turns[0], status: "failed" }, { ...DATA.turns[1], status: "running", closed_at: null }];
  const tasks = [DATA.tasks[0], { ...DATA.tasks[0], id: "proc_2", status: "running", ended_at: null }];
  assert.deepEqual(inShort({ turns, tasks }), ["Turn 2 running", "1 job runs", "turn 1 failed"]);
});
