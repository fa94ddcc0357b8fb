// Frames of turns.

import { add, answerOf, remove, touch } from "./messages.js";
import { withAnswer } from "./spending.js";
import { leaveOpenSummaries } from "./summaries.js";

export const TURN_FRAMES = {
  turn_started: startTurn,
  message: (state, data) => addInput(state, data, null),
  notice: addNotice,
  token: (state, data) => addText(state, data, "content"),
  reasoning: addReasoning,
  step_abandoned: abandonStep,
  model_changed: changeModel,
  tool: addCall,
  tool_complete: completeCall,
  usage: endStep,
  done: (state, data) => endTurn(state, data, "done"),
  failed: (state, data) => endTurn(state, data, "failed"),
  cancelled: (state, data) => endTurn(state, data, "cancelled"),
};

function startTurn(state, { turn_id: turnId, source, parent }) {
  leaveBranch(state, parent);
  const number = Math.max(0, ...[...state.turns.values()].map((turn) => turn.number ?? 0)) + 1;
  state.turns.set(turnId, {
    number,
    source,
    status: "running",
    opened_at: state.now(),
    closed_at: null,
    model: null,
    model_changes: [],
    is_cut: false,
    usage: null,
  });
  state.activeTurn = { turn_id: turnId, stream_id: turnId, source };
  state.queued = state.queued.filter((queued) => queued.turn_id !== turnId);
  return ["turns", "queued"];
}

// An edit or a regenerated answer continues from an earlier turn: later messages leave the conversation.
function leaveBranch(state, parent) {
  const last = state.messages.at(-1);
  if (!last || last.turn_id === parent) return;
  const at = state.messages.findLastIndex((message) => message.turn_id === parent);
  if (at === -1 && parent) state.isStale = true;
  state.messages = state.messages.slice(0, at + 1);
}

function addInput(state, data, notice) {
  const { message_id: id, turn_id, source, content, role = "user", client_message_id, attachments = [] } = data;
  if (!state.turns.has(turn_id)) return [];
  add(state, { id, turn_id, role, source, content, notice, client_message_id, attachments });
  return ["messages"];
}

function addNotice(state, data) {
  const task = state.tasks.get(data.task_id);
  if (task && data.source !== "watch_match") {
    task.will_notify = false;
    task.woke_turn_id ??= data.turn_id;
  }
  return [...addInput(state, data, data), "tasks"];
}

function addText(state, { turn_id, step, text }, field) {
  if (!state.turns.has(turn_id)) return [];
  const message = touch(answerOf(state, turn_id, step));
  message[field] = (message[field] ?? "") + text;
  const turn = state.turns.get(turn_id);
  if (turn.cutStep === step) turn.cutStep = null;
  if (field === "content" && message.thoughtAt) {
    message.thoughtSeconds ??= (new Date(state.now()) - new Date(message.thoughtAt)) / 1000;
  }
  return ["messages"];
}

function addReasoning(state, data) {
  const changed = addText(state, data, "reasoning");
  if (changed.length) answerOf(state, data.turn_id, data.step).thoughtAt ??= state.now();
  return changed;
}

function abandonStep(state, { turn_id, step }) {
  remove(state, `${turn_id}.${step}.0`);
  const turn = state.turns.get(turn_id);
  if (turn) turn.cutStep = step;
  return ["messages"];
}

// A change is open until the step is answered. A turn that is resumed after a crash may fall back again.
function changeModel(state, { turn_id, step, from, to, code, message }) {
  const turn = state.turns.get(turn_id);
  if (!turn) return [];
  const others = turn.model_changes.filter((change) => change.step !== step || change.from !== from);
  turn.model_changes = [...others, { step, from, to, code, message, isOpen: true }];
  return ["turns"];
}

// The model that answered the turn last; null if that is not known yet.
export function answeringModel({ model, model_changes: changes }) {
  return changes?.at(-1)?.to ?? model ?? null;
}

function addCall(state, { turn_id, step, call_id, name, arguments: given }) {
  if (!state.turns.has(turn_id)) return [];
  const prefix = `${turn_id}.${step}.`;
  const earlier = state.messages.filter((message) => message.role === "tool" && message.id.startsWith(prefix));
  const known = earlier.find((message) => message.tool.call_id === call_id);
  const id = known?.id ?? `${prefix}${earlier.length + 1}`;
  const tool = { call_id, name, arguments: given, result: null, seconds: null, status: "running" };
  add(state, { id, turn_id, role: "tool", source: "tool", tool });
  return ["messages"];
}

function completeCall(
  state,
  {
    turn_id,
    step,
    call_id,
    result,
    seconds,
    is_error = false,
    truncated = false,
    full_size = result.length,
    changes = [],
    attachments = [],
  },
) {
  const prefix = `${turn_id}.${step}.`;
  const message = state.messages.findLast((one) => one.tool?.call_id === call_id && one.id.startsWith(prefix));
  if (!message) return [];
  touch(message);
  message.attachments = attachments;
  message.tool = { ...message.tool, result, truncated, full_size, seconds, is_error, changes, status: "done" };
  return ["messages"];
}

function endStep(state, { turn_id, step, usage, cost_usd: cost = null, model = null }) {
  const turn = state.turns.get(turn_id);
  if (!turn) return [];
  if (usage) addUsage(state, turn, usage, cost);
  closeChanges(state, turn, step, model);
  const prefix = `${turn_id}.${step}.`;
  const isSilent = !state.messages.some((message) => message.id.startsWith(prefix));
  const answer = isSilent ? answerOf(state, turn_id, step) : state.messages.findLast((one) => one.id === `${prefix}0`);
  if (answer) Object.assign(touch(answer), { isOpen: false, model });
  return ["messages", "turns", "session"];
}

function addUsage(state, turn, usage, cost) {
  turn.usage = withAnswer(turn.usage, usage, cost);
  const { session } = state;
  if (session?.usage) session.usage = { ...withAnswer(session.usage, usage, cost), context_tokens: usage.input_tokens };
}

function closeChanges(state, turn, step, model) {
  // The model took over before this page was opened, and only the server knows why.
  if (model && turn.model && model !== answeringModel(turn)) state.isStale = true;
  turn.model_changes = turn.model_changes.map((change) => (change.step === step ? { ...change, isOpen: false } : change));
}

function endTurn(state, data, status) {
  const { turn_id } = data;
  const turn = state.turns.get(turn_id);
  state.queued = state.queued.filter((queued) => queued.turn_id !== turn_id);
  // The turn never opened: its message was withdrawn, or joined another turn.
  if (!turn) return ["queued"];
  Object.assign(turn, { status, closed_at: state.now(), cutStep: null, is_cut: Boolean(data.incomplete) });
  // Nobody has answered these steps.
  turn.model_changes = turn.model_changes.filter((change) => !change.isOpen);
  if (state.activeTurn?.turn_id === turn_id) state.activeTurn = null;
  closeMessages(state, turn_id);
  if (status !== "done") addEnding(state, data, status);
  return ["messages", "turns", "queued"];
}

function closeMessages(state, turnId) {
  leaveOpenSummaries(state, turnId);
  for (const message of state.messages.filter((one) => one.turn_id === turnId)) {
    if (message.tool?.status === "running") touch(message).tool = { ...message.tool, status: "interrupted" };
    if (message.isOpen) touch(message).isOpen = false;
  }
}

function addEnding(state, { turn_id, code, message }, status) {
  const content = code === "stopped" ? "Stopped." : (message ?? "");
  const role = status === "cancelled" ? "note" : "error";
  add(state, { id: `${turn_id}.end`, turn_id, role, source: "server", content, code: (role === "error" && code) || null });
}
