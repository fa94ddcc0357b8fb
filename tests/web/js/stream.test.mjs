import assert from "node:assert/strict";
import { test } from "node:test";

import { Frames } from "../../../src/wakeful/web/static/js/stream/frames.js";
import { cursorOf, joinCursors, lowest } from "../../../src/wakeful/web/static/js/stream/cursor.js";

const WIRE =
  'id: a:1,b:2.1\nevent: token\ndata: {"text": "x\u2028: y"}\n\n:\n\nid: a:2,b:2.1\nevent: done\ndata: {}\n\n';

test("frames are complete however their text is split", () => {
  const whole = new Frames().push(WIRE);
  assert.deepEqual(whole, [
    { id: "a:1,b:2.1", name: "token", data: '{"text": "x\u2028: y"}' },
    { id: "a:2,b:2.1", name: "done", data: "{}" },
  ]);
  for (let cut = 0; cut <= WIRE.length; cut += 1) {
    const frames = new Frames();
    assert.deepEqual([...frames.push(WIRE.slice(0, cut)), ...frames.push(WIRE.slice(cut))], whole);
  }
});

test("a frame that was cut off is dropped", () => {
  assert.deepEqual(new Frames().push("id: 1\nevent: token\ndata: {}\n"), []);
});

test("a cursor over several sessions has a part for each", () => {
  assert.equal(cursorOf("a:1,ab:2.1", "ab"), "2.1");
  assert.equal(cursorOf("ab:2.1", "a"), null);
  assert.equal(
    joinCursors(
      new Map([
        ["a", "1"],
        ["b", "2.1"],
      ]),
    ),
    "a:1,b:2.1",
  );
  assert.equal(cursorOf("a:1~1~2,ab:2~1~40", "ab"), "2~1~40");
});

test("a stream for several pages starts where each gets all that it lacks", () => {
  const cases = [
    [["12", "12.1", "13"], "12.1"],
    [["12~9~7", "12~9~4"], "12~9~4"],
    [["10~9~20", "12~9~5"], "10~9~5"],
    [["12~9~5", "12"], "12"],
    // The second reader may have all of this text, or none of it.
    [["10~9~20", "12"], "10"],
    [["10~9~20", "14~13~5"], "10~9~20"],
  ];
  for (const [cursors, low] of cases) {
    assert.equal(lowest(cursors), low, cursors.join(" "));
    assert.equal(lowest(cursors.toReversed()), low, cursors.join(" "));
  }
});
