// A small model of the server: makes random logs of a session, snapshots of them, and the frames from a cursor on.

export function randomness(seed) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, below: (most) => Math.floor(next() * most), chance: (share) => next() < share };
}

const SESSION = "ses_1";

// The events of a session in order: facts, each with its `number`, and pieces of text between them, each with the
// `base` fact that the text follows and its `piece` number.
export function makeLog(random) {
  const log = [];
  const write = (name, data) => log.push({ name, data: { session_id: SESSION, ...data } });
  const turns = 1 + random.below(3);
  let parent = null;
  for (let turn = 1; turn <= turns; turn += 1) {
    const turn_id = `turn_${turn}`;
    write("turn_started", { turn_id, source: "user", parent });
    if (random.chance(0.3))
      write("notice", {
        turn_id,
        message_id: `${turn_id}.0.0`,
        source: "process_wakeup",
        content: "ended",
        task_id: "proc_1",
        delivered: "with_message",
      });
    write("message", {
      turn_id,
      message_id: `${turn_id}.0.1`,
      source: "user",
      content: `question ${turn}`,
      client_message_id: `msg_${turn}`,
    });
    writeSteps(write, turn_id, random, turn === turns && random.chance(0.5));
    parent = turn_id;
  }
  return numbered(log);
}

export function numbered(log) {
  let [number, base, piece] = [0, 0, 0];
  for (const item of log) {
    if (isWord(item)) {
      Object.assign(item, { base, piece: (piece += 1) });
      continue;
    }
    Object.assign(item, { number: (number += 1), ends: isOfTurn(item) && piece > 0 ? base : 0 });
    if (isOfTurn(item)) [base, piece] = [number, 0];
  }
  return log;
}

function isWord({ name }) {
  return name === "token" || name === "reasoning";
}

// Other events may happen while a turn streams text.
function isOfTurn({ name }) {
  return name !== "watch_match";
}

function writeSteps(write, turn_id, random, isOpen) {
  const answers = 1 + random.below(3);
  let step = 0;
  for (let answer = 1; answer <= answers; answer += 1) {
    step += 1;
    if (random.chance(0.3)) {
      write("compaction_started", { turn_id, step, reason: "auto", context_tokens: 900 });
      if (isOpen && answer === answers && random.chance(0.5)) return;
      const made = { message_id: `${turn_id}.${step}.0`, tokens_before: 900, tokens_after: 90, model: "a:one" };
      write("compaction_done", { turn_id, step, ...made });
      step += 1;
    }
    if (random.chance(0.4)) {
      writeText(write, turn_id, step, random);
      write("step_abandoned", { turn_id, step });
    }
    if (random.chance(0.2))
      write("model_changed", { turn_id, step, from: "a:one", to: "b:two", code: "model_credit", message: "No credit." });
    writeText(write, turn_id, step, random);
    if (isOpen && answer === answers) return;
    const calls = answer === answers ? 0 : 1 + random.below(2);
    for (let call = 1; call <= calls; call += 1)
      write("tool", { turn_id, step, call_id: `call_${step}_${call}`, name: "terminal", arguments: "{}" });
    write("usage", { turn_id, step, usage: { input_tokens: 10, output_tokens: 5 } });
    for (let call = 1; call <= calls; call += 1)
      write("tool_complete", { turn_id, step, call_id: `call_${step}_${call}`, result: `result ${call}`, seconds: 0.5, is_error: false, changes: [] });
  }
  write(random.chance(0.2) ? "failed" : "done", { turn_id, message: "broke" });
}

function writeText(write, turn_id, step, random) {
  if (random.chance(0.3)) write("reasoning", { turn_id, step, text: "thinking " });
  const pieces = 1 + random.below(5);
  for (let piece = 0; piece < pieces; piece += 1) {
    write("token", {
      turn_id,
      step,
      text: random.chance(0.3) ? `piece ${random.below(99)}\n\n` : `word${random.below(99)} `,
    });
    if (random.chance(0.15)) write("watch_match", { process_id: "proc_1", pattern: "x", line: "x" });
  }
}

// The frames of a fact, as the server numbers them for a reader with this text position.
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

// The response of GET /api/session after `moment` items of the log. The server reads the text before the facts.
export function snapshotAt(log, moment, wordsMoment = moment) {
  const stored = store(log.slice(0, moment));
  const words = store(log.slice(0, wordsMoment));
  const partial = words.base === stored.base ? words.partial : null;
  const { compaction } = stored;
  const active = stored.active && { turn_id: stored.active, stream_id: stored.active, source: "user", partial, compaction };
  return {
    session: { session_id: SESSION },
    messages: stored.messages,
    active,
    turns: stored.turns,
    queued: [],
    tasks: [],
    approvals: [],
    last_event_id: stored.number,
    cursor: cursorOf(stored, partial ? words.piece : 0),
  };
}

function cursorOf({ number, base, active }, piece) {
  return active && (piece || base < number) ? `${number}~${base}~${piece}` : String(number);
}

// The stored session: an answer counts when its step has ended.
function store(items) {
  const state = { messages: [], turns: {}, active: null, partial: null, compaction: null, number: 0, base: 0, piece: 0 };
  let text = { content: "", reasoning: "" };
  let changes = [];
  for (const item of items) {
    const { name, data, number } = item;
    const { turn_id, step } = data;
    if (number) state.number = number;
    if (number && isOfTurn(item)) [state.base, state.piece] = [number, 0];
    if (isWord(item)) state.piece = item.piece;
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
        model: "a:one",
        model_changes: [],
        is_cut: false,
      };
      changes = [];
    } else if (name === "compaction_started") {
      state.compaction = { step, reason: data.reason, context_tokens: data.context_tokens, started_at: "then" };
    } else if (name === "compaction_done") {
      const { reason } = state.compaction;
      const { tokens_before, tokens_after, model } = data;
      const summary = { reason, tokens_before, tokens_after, model };
      push({ id: data.message_id, role: "note", source: "summary", content: "All so far.", summary });
      state.compaction = null;
    } else if (name === "model_changed") {
      const { from, to, code, message } = data;
      changes.push({ step, from, to, code, message });
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
      state.turns[turn_id].model_changes.push(...changes);
      changes = [];
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
        changes: data.changes,
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

// The frames of a stream from a cursor on, opened at a moment: the greeting, then the past, then what happens live.
export function* streamFrom(log, cursor, moment = log.length) {
  const at = parse(cursor);
  const last = Math.max(0, ...log.slice(0, moment).map(({ number }) => number ?? 0));
  yield { name: "initial", cursor, data: { session_id: SESSION, last_event_id: last, active: null } };
  const past = replayed(log.slice(0, moment), at);
  // The html of the text that the reader already has is sent first, in one frame.
  let look = blank();
  for (const item of past.filter((item) => isHad(item, at))) look = withWord(look, item);
  if (look.text) yield html(at.text(), look, 0);
  for (const item of [...past.filter((item) => !isHad(item, at)), ...log.slice(moment)]) {
    if (isWord(item)) {
      const next = withWord(look, item);
      if (next !== look) yield html(at.text(), next, next.key === look.key ? commonBlocks(look.text, next.text) : 0);
      look = next;
      Object.assign(at, { base: item.base, piece: item.piece });
      yield { name: item.name, data: item.data, cursor: at.text() };
      continue;
    }
    if (isOfTurn(item)) look = blank();
    if (item.ends) Object.assign(at, { base: 0, piece: 0 });
    yield* framesOf(item, at.words()).slice(at.frames);
    Object.assign(at, { after: item.number, frames: 0 });
  }
}

function isHad(item, { base, piece }) {
  return isWord(item) && item.base === base && item.piece <= piece;
}

function blank() {
  return { key: "", text: "" };
}

// Ended text comes right before the fact that ends it, open text after all facts.
function replayed(items, at) {
  const replay = [];
  let words = [];
  for (const item of items) {
    if (isWord(item)) {
      words.push(item);
      continue;
    }
    const isSeen = item.number <= at.after;
    // A reader with a frame of a fact has the text that it ends.
    const isBegun = item.number === at.after + 1 && at.frames > 0;
    if (item.ends && isBegun) Object.assign(at, { base: item.ends, piece: words.length });
    if (!isSeen) replay.push(...(item.ends ? words : []), item);
    if (isOfTurn(item)) words = [];
  }
  return [...replay, ...words];
}

function parse(cursor) {
  const [facts, base = 0, piece = 0] = cursor.split("~");
  const [number, frames] = facts.split(".").map(Number);
  return {
    after: frames ? number - 1 : number,
    frames: frames ?? 0,
    base: Number(base),
    piece: Number(piece),
    words() {
      return this.base ? `~${this.base}~${this.piece}` : "";
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
