// The agent's plan: how frames change it, and what the drawer shows.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.location ??= new URL("http://127.0.0.1/");
class Piece {
  children = [];
  attributes = {};
  constructor(tag) {
    this.tag = tag;
  }
  append(...more) {
    this.children.push(...more);
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
}
globalThis.document ??= { createElement: (tag) => new Piece(tag), createElementNS: (_, tag) => new Piece(tag) };

const JS = "../../../src/wakeful/web/static/js";
const { planParts } = await import(`${JS}/drawer/plan.js`);
const { applyFrame } = await import(`${JS}/session/fold.js`);
const { emptyState } = await import(`${JS}/session/state.js`);

const PLAN = [
  { id: "a", text: "read", status: "done" },
  { id: "b", text: "mend", status: "active" },
  { id: "c", text: "test", status: "pending" },
];

const textOf = (piece) => (piece instanceof Piece ? [piece.textContent ?? "", ...piece.children.map(textOf)].join("") : String(piece));

test("a frame replaces the whole plan, once", () => {
  const state = { ...emptyState(), cursor: "3" };
  const frame = { name: "todo", cursor: "4", data: { session_id: "s", items: PLAN } };
  assert.deepEqual(applyFrame(state, frame), ["todo"]);
  assert.deepEqual([state.todo, state.cursor], [PLAN, "4"]);
  assert.deepEqual(applyFrame(state, { ...frame, data: { items: [] } }), []);
  assert.deepEqual(state.todo, PLAN);
});

test("the drawer counts what is done, and says aloud what is done and what is under way", () => {
  const [head, list] = planParts(PLAN);
  assert.match(textOf(head), /1 of 3/);
  const words = list.children[0].children.map(textOf);
  assert.deepEqual(words, ["read, done", "mend, now", "test"]);
});

test("no plan takes no room", () => {
  assert.deepEqual(planParts([]), []);
});
