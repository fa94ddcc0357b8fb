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

// [{name, data, frames}] in order; the number of an event is its place, from 1 on.
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
  return log;
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
  for (let piece = 0; piece < pieces; piece += 1)
    tell("token", {
      turn_id,
      step,
      text: random.chance(0.3) ? `piece ${random.below(99)}\n\n` : `word${random.below(99)} `,
    });
}

// The frames of an event with their cursors, as the server numbers them.
export function framesOf(event, number) {
  const { name, data } = event;
  const started = { name: "server_turn_started", data: { ...data, stream_id: data.turn_id } };
  const completed = {
    name: "turn_completed",
    data: { session_id: data.session_id, turn_id: data.turn_id, status: name },
  };
  const parts = name === "turn_started" ? [started, event] : isFinal(name) ? [event, completed] : [event];
  return parts.map((part, index) => ({
    ...part,
    cursor: index === parts.length - 1 ? String(number) : `${number}.${index + 1}`,
  }));
}

function isFinal(name) {
  return name === "done" || name === "failed";
}

// What GET /api/session answers after so many events.
export function snapshotAt(log, number) {
  const stored = store(log.slice(0, number));
  const active = stored.active && {
    turn_id: stored.active,
    stream_id: stored.active,
    source: "user",
    partial: stored.partial,
  };
  return {
    session: { session_id: SESSION },
    messages: stored.messages,
    active,
    turns: stored.turns,
    queued: [],
    tasks: [],
    approvals: [],
    last_event_id: number,
  };
}

// The journal: answers count when their step is whole.
function store(events) {
  const state = { messages: [], turns: {}, active: null, partial: null };
  let text = { content: "", reasoning: "" };
  for (const { name, data } of events) {
    const { turn_id, step } = data;
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

// One line from a cursor on: the greeting, the look of the step that is being answered, then the frames.
export function* lineFrom(log, cursor) {
  const [whole, part] = String(cursor).split(".").map(Number);
  const after = part ? whole - 1 : whole;
  yield { name: "initial", cursor, data: { session_id: SESSION, last_event_id: log.length, active: null } };
  let look = lookAt(log, after);
  if (look.text) yield html(cursor, look, 0);
  let last = cursor;
  for (let number = after + 1; number <= log.length; number += 1) {
    const event = log[number - 1];
    if (event.name === "token" || event.name === "step_abandoned") {
      const next = lookAt(log, number);
      const from = next.text && next.key === look.key ? commonBlocks(look.text, next.text) : 0;
      if (next.text) yield html(last, next, from);
      look = next;
    }
    const frames = framesOf(event, number);
    for (const frame of number === after + 1 && part ? frames.slice(part) : frames) {
      yield frame;
      last = frame.cursor;
    }
  }
}

function lookAt(log, number) {
  let look = { key: "", text: "" };
  for (const { name, data } of log.slice(0, number)) {
    const key = `${data.turn_id}.${data.step}`;
    if (name === "token") look = { ...data, key, text: look.key === key ? look.text + data.text : data.text };
    else if (name === "step_abandoned" || name === "usage" || name === "tool") look = { key: "", text: "" };
  }
  return look;
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
