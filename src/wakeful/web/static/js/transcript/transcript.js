// The conversation: turns, the time between them, and a view of its own when there are none.

import { on } from "../bus.js";
import { openSession } from "../session/state.js";
import { soon } from "../soon.js";
import { emptyView } from "./empty.js";
import { firstWords, startFirstWords } from "./first_words.js";
import { Betweens } from "./between.js";
import { Keyed } from "./keyed.js";
import { Paging } from "./paging.js";
import { Scrolling } from "./scrolling.js";
import { SummaryTurn } from "./summary_turn.js";
import { TurnView } from "./turn.js";

const REDRAWS = new Set(["messages", "turns", "tasks", "works", "approvals", "older"]);
// These changes affect only the turns whose messages changed; the others may affect any turn.
const IN_PLACE = new Set(["messages", "older"]);

export function startTranscript(scroller, inner, jump) {
  startFirstWords();
  const scrolling = new Scrolling(scroller, jump);
  const paging = new Paging(scroller);
  const turns = new Keyed(inner);
  let isEverywhere = true;
  let connection = "live";
  const draw = () => {
    const shown = entries(paging, isEverywhere);
    isEverywhere = false;
    scrolling.keep(() => turns.show(shown, makeView));
  };
  const drawSoon = soon(draw);
  on("session-opened", () => {
    isEverywhere = true;
    scrolling.toBottom();
    draw();
  });
  on("session-missing", ({ id }) => turns.show([{ key: `missing:${id}`, what: "missing" }], emptyView));
  on(
    "session-unreachable",
    ({ isLoaded }) => isLoaded || turns.show([{ key: "unreachable", what: "unreachable" }], emptyView),
  );
  on("session-changed", (names) => {
    const changed = names.filter((name) => REDRAWS.has(name));
    isEverywhere ||= changed.some((name) => !IN_PLACE.has(name));
    if (changed.length) drawSoon();
  });
  on("connection", ({ state }) => {
    if (state === connection) return;
    connection = state;
    isEverywhere = true;
    drawSoon();
  });
  on("sent", () => scrolling.toBottom());
}

function makeView(entry) {
  if (entry.what) return emptyView(entry);
  if (entry.between) return new Betweens();
  return entry.turn.source === "compaction" ? new SummaryTurn(entry) : new TurnView(entry);
}

// The turns and what is between them.
function entries(paging, isEverywhere) {
  const { id, session, messages, turns, activeTurn } = openSession;
  const first = firstWords();
  if (first) return [first];
  if (id && !session) return [];
  if (!messages.length && !activeTurn) return [{ key: "new", what: "new" }];
  const groups = grouped(messages, activeTurn);
  const lastId = groups.at(-1)?.turnId;
  const shown = openSession.hasMore ? [{ key: "older", what: "older", paging }] : [];
  for (const [index, { turnId, messages: said }] of groups.entries()) {
    const before = groups[index - 1];
    const between = { before: before && turns.get(before.turnId), after: turns.get(turnId), said };
    shown.push({ key: `before:${turnId}`, between, isFirst: !before });
    const turn = turns.get(turnId) ?? {};
    shown.push({ key: turnId, turnId, messages: said, turn, isLast: turnId === lastId, isEverywhere });
  }
  return shown;
}

function grouped(messages, activeTurn) {
  const groups = [];
  for (const message of messages) {
    if (groups.at(-1)?.turnId !== message.turn_id) groups.push({ turnId: message.turn_id, messages: [] });
    groups.at(-1).messages.push(message);
  }
  const isThere = !activeTurn || groups.some((group) => group.turnId === activeTurn.turn_id);
  return isThere ? groups : [...groups, { turnId: activeTurn.turn_id, messages: [] }];
}
