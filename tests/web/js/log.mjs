// A server in small: the log of a session by chance, what a snapshot of it tells, and what a line tells from a cursor
// on.

export function randomness(seed) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, below: (most) => Math.floor(next() * most), chance: (share) => next() < share };
}

const SESSION = "ses_1";

// What happens in a session, in order: facts, each with its `number`, and words between them, each with the `base` that
// they follow and its `place` after it.
export function makeLog(random) {
  const log = [];
  const tell = (name, data) => log.push({ name, data: { session_id: SESSION, ...data } });
  const turns = 1 + random.below(3);
  let parent = null;
  for (let turn = 1; turn <= turns; turn += 1) {
    const turn_id = `turn_${turn}`;
    tell("turn_started", { turn_id, source: "user", parent });
    if (random.chance(0.3))
      tell("notice", {
        turn_id,
        message_id: `${turn_id}.0.0`,
        source: "process_wakeup",
        content: "ended",
        task_id: "proc_1",
        delivered: "with_message",
      });
    tell("message", {
      turn_id,
      message_id: `${turn_id}.0.1`,
      source: "user",
      content: `question ${turn}`,
      client_message_id: `msg_${turn}`,
    });
    tellSteps(tell, turn_id, random, turn === turns && random.chance(0.5));
    parent = turn_id;
  }
  return numbered(log);
}

export function numbered(log) {
  let [number, base, place] = [0, 0, 0];
  for (const item of log) {
    if (isWord(item)) {
      Object.assign(item, { base, place: (place += 1) });
      continue;
    }
    Object.assign(item, { number: (number += 1), ends: isOfTurn(item) && place > 0 ? base : 0 });
    if (isOfTurn(item)) [base, place] = [number, 0];
  }
  return log;
}

function isWord({ name }) {
  return name === "token" || name === "reasoning";
}

// Others may happen while a turn speaks.
function isOfTurn({ name }) {
  return name !== "watch_match";
}

function tellSteps(tell, turn_id, random, isOpen) {
  const steps = 1 + random.below(3);
  for (let step = 1; step <= steps; step += 1) {
    if (random.chance(0.4)) {
      tellText(tell, turn_id, step, random);
      tell("step_abandoned", { turn_id, step });
    }
    tellText(tell, turn_id, step, random);
    if (isOpen && step === steps) return;
    const calls = step === steps ? 0 : 1 + random.below(2);
    for (let call = 1; call <= calls; call += 1)
      tell("tool", { turn_id, step, call_id: `call_${step}_${call}`, name: "terminal", arguments: "{}" });
    tell("usage", { turn_id, step, usage: { input_tokens: 10, output_tokens: 5 } });
    for (let call = 1; call <= calls; call += 1)
      tell("tool_complete", { turn_id, step, call_id: `call_${step}_${call}`, result: `result ${call}`, seconds: 0.5, is_error: false });
  }
  tell(random.chance(0.2) ? "failed" : "done", { turn_id, message: "broke" });
}

function tellText(tell, turn_id, step, random) {
  if (random.chance(0.3)) tell("reasoning", { turn_id, step, text: "thinking " });
  const pieces = 1 + random.below(5);
  for (let piece = 0; piece < pieces; piece += 1) {
    tell("token", {
      turn_id,
      step,
      text: random.chance(0.3) ? `piece ${random.below(99)}\n\n` : `word${random.below(99)} `,
    });
    if (random.chance(0.15)) tell("watch_match", { process_id: "proc_1", pattern: "x", line: "x" });
  }
}

// The frames of a fact, as the server numbers them for a reader with this place in words.
function framesOf(event, words) {
  const { name, data, number } = event;
  const started = { name: "server_turn_started", data: { ...data, stream_id: data.turn_id } };
  const completed = {
    name: "turn_completed",
    data: { session_id: data.session_id, turn_id: data.turn_id, status: name },
  };
  const parts = name === "turn_started" ? [started, event] : isFinal(name) ? [event, completed] : [event];
  return parts.map((part, index) => ({
    name: part.name,
    data: part.data,
    cursor: (index === parts.length - 1 ? String(number) : `${number}.${index + 1}`) + words,
  }));
}

function isFinal(name) {
  return name === "done" || name === "failed";
}

// What GET /api/session answers at a moment, after so many of the log. Words are looked at before the facts are.
export function snapshotAt(log, moment, wordsMoment = moment) {
  const stored = store(log.slice(0, moment));
  const words = store(log.slice(0, wordsMoment));
  const partial = words.base === stored.base ? words.partial : null;
  const active = stored.active && { turn_id: stored.active, stream_id: stored.active, source: "user", partial };
  return {
    session: { session_id: SESSION },
    messages: stored.messages,
    active,
    turns: stored.turns,
    queued: [],
    tasks: [],
    approvals: [],
    last_event_id: stored.number,
    cursor: cursorOf(stored, partial ? words.place : 0),
  };
}

function cursorOf({ number, base, active }, place) {
  return active && (place || base < number) ? `${number}~${base}~${place}` : String(number);
}

// The journal: answers count when their step is whole.
function store(items) {
  const state = { messages: [], turns: {}, active: null, partial: null, number: 0, base: 0, place: 0 };
  let text = { content: "", reasoning: "" };
  for (const item of items) {
    const { name, data, number } = item;
    const { turn_id, step } = data;
    if (number) state.number = number;
    if (number && isOfTurn(item)) [state.base, state.place] = [number, 0];
    if (isWord(item)) state.place = item.place;
    const push = (message) =>
      state.messages.push({
        turn_id,
        html: null,
        reasoning: null,
        tool: null,
        notice: null,
        created_at: "then",
        ...message,
      });
    if (name === "turn_started") {
      state.active = turn_id;
      state.turns[turn_id] = {
        number: Object.keys(state.turns).length + 1,
        source: "user",
        status: "running",
        opened_at: "then",
        closed_at: null,
      };
    } else if (name === "message" || name === "notice") {
      push({
        id: data.message_id,
        role: "user",
        source: data.source,
        content: data.content,
        notice: name === "notice" ? data : null,
      });
    } else if (name === "token" || name === "reasoning") {
      text[name === "token" ? "content" : "reasoning"] += data.text;
      state.partial = { step, text: text.content, reasoning: text.reasoning };
    } else if (name === "step_abandoned") {
      text = { content: "", reasoning: "" };
      state.partial = null;
    } else if (name === "tool") {
      if (text.content) push(answer(turn_id, step, text));
      text = { content: "", reasoning: "" };
      const index = state.messages.filter((one) => one.tool && one.id.startsWith(`${turn_id}.${step}.`)).length + 1;
      push({
        id: `${turn_id}.${step}.${index}`,
        role: "tool",
        source: "tool",
        content: "",
        tool: {
          call_id: data.call_id,
          name: data.name,
          arguments: "{}",
          result: null,
          seconds: null,
          status: "running",
        },
      });
      state.partial = null;
    } else if (name === "usage") {
      if (text.content) push(answer(turn_id, step, text));
      text = { content: "", reasoning: "" };
      state.partial = null;
    } else if (name === "tool_complete") {
      const call = state.messages.findLast((one) => one.tool?.call_id === data.call_id && one.turn_id === turn_id);
      call.tool = {
        ...call.tool,
        result: data.result,
        truncated: false,
        full_size: data.result.length,
        seconds: data.seconds,
        is_error: data.is_error,
        status: "done",
      };
    } else if (isFinal(name)) {
      state.turns[turn_id].status = name;
      state.active = null;
      if (name === "failed") push({ id: `${turn_id}.end`, role: "error", source: "server", content: data.message });
    }
  }
  return state;
}

function answer(turn_id, step, { content, reasoning }) {
  return {
    id: `${turn_id}.${step}.0`,
    role: "assistant",
    source: "assistant",
    content,
    reasoning: reasoning || null,
    html: blocksOf(content).join(""),
  };
}

export function blocksOf(text) {
  return text
    .split("\n\n")
    .filter(Boolean)
    .map((block) => `<p>${block}</p>`);
}

// One line from a cursor on, opened at a moment: the greeting, then what has happened, then what happens.
export function* lineFrom(log, cursor, moment = log.length) {
  const at = place(cursor);
  const last = Math.max(0, ...log.slice(0, moment).map(({ number }) => number ?? 0));
  yield { name: "initial", cursor, data: { session_id: SESSION, last_event_id: last, active: null } };
  const past = replayed(log.slice(0, moment), at);
  // Of the words that the reader has it is told the look, and all of that at once.
  let look = blank();
  for (const item of past.filter((item) => isHad(item, at))) look = withWord(look, item);
  if (look.text) yield html(at.text(), look, 0);
  for (const item of [...past.filter((item) => !isHad(item, at)), ...log.slice(moment)]) {
    if (isWord(item)) {
      const next = withWord(look, item);
      if (next !== look) yield html(at.text(), next, next.key === look.key ? commonBlocks(look.text, next.text) : 0);
      look = next;
      Object.assign(at, { base: item.base, place: item.place });
      yield { name: item.name, data: item.data, cursor: at.text() };
      continue;
    }
    if (isOfTurn(item)) look = blank();
    if (item.ends) Object.assign(at, { base: 0, place: 0 });
    yield* framesOf(item, at.words()).slice(at.frames);
    Object.assign(at, { after: item.number, frames: 0 });
  }
}

function isHad(item, { base, place }) {
  return isWord(item) && item.base === base && item.place <= place;
}

function blank() {
  return { key: "", text: "" };
}

// Words that have ended come right before the fact that ends them, and those that have not after all facts.
function replayed(items, at) {
  const told = [];
  let words = [];
  for (const item of items) {
    if (isWord(item)) {
      words.push(item);
      continue;
    }
    const isSeen = item.number <= at.after;
    // Whoever has a frame of a fact has the words that end with it.
    const isBegun = item.number === at.after + 1 && at.frames > 0;
    if (item.ends && isBegun) Object.assign(at, { base: item.ends, place: words.length });
    if (!isSeen) told.push(...(item.ends ? words : []), item);
    if (isOfTurn(item)) words = [];
  }
  return [...told, ...words];
}

function place(cursor) {
  const [facts, base = 0, place = 0] = cursor.split("~");
  const [number, frames] = facts.split(".").map(Number);
  return {
    after: frames ? number - 1 : number,
    frames: frames ?? 0,
    base: Number(base),
    place: Number(place),
    words() {
      return this.base ? `~${this.base}~${this.place}` : "";
    },
    text() {
      return (this.frames ? `${this.after + 1}.${this.frames}` : String(this.after)) + this.words();
    },
  };
}

function withWord(look, { name, data }) {
  if (name !== "token") return look;
  const key = `${data.turn_id}.${data.step}`;
  return { ...data, key, text: look.key === key ? look.text + data.text : data.text };
}

function html(cursor, { turn_id, step, text }, from) {
  return {
    name: "answer_html",
    cursor,
    data: { session_id: SESSION, turn_id, step, from, blocks: blocksOf(text).slice(from), is_final: false },
  };
}

function commonBlocks(one, other) {
  const [before, after] = [blocksOf(one), blocksOf(other)];
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  return same;
}
