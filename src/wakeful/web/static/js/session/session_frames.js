// Frames of a session besides those of its turns: the queue, background work, questions, and other changes.

export const SESSION_FRAMES = {
  turn_completed: completeTurn,
  message_queued: addQueued,
  "session-updated": update,
  task_started: startTask,
  process_complete: endTask,
  watch_match: () => ["tasks"],
  approval_required: ask,
  approval_answered: answer,
  wake_waits: waitForWake,
  todo: changeTodo,
  gap: showGap,
};

// The stored turn has its number, times and token usage, which are in no frame.
function completeTurn(state, { turn_id }) {
  if (state.activeTurn?.turn_id === turn_id) state.activeTurn = null;
  state.isStale = true;
  return ["turns"];
}

function addQueued(state, { turn_id }) {
  if (state.queued.some((queued) => queued.turn_id === turn_id)) return [];
  // The frame lacks the text.
  state.isStale = true;
  return [];
}

function update(state, { changed, turn_id }) {
  if (turn_id && changed?.includes("queued")) {
    state.queued = state.queued.filter((queued) => queued.turn_id !== turn_id);
    return ["queued"];
  }
  state.isStale = true;
  return [];
}

function startTask(state, { task }) {
  state.tasks.set(task.id, task);
  return ["tasks"];
}

function endTask(state, { process_id, status, exit_code }) {
  const task = state.tasks.get(process_id);
  if (!task) {
    state.isStale = true;
    return [];
  }
  Object.assign(task, { status, exit_code, ended_at: task.ended_at ?? state.now(), progress: null });
  return ["tasks"];
}

function ask(state, approval) {
  if (state.approvals.some((known) => known.call_id === approval.call_id)) return [];
  state.approvals = [...state.approvals, approval];
  return ["approvals"];
}

function answer(state, { call_id, choice }) {
  closeApproval(state, call_id, choice);
  return ["approvals", "messages"];
}

// `choice` is "expired" when the time is over, by the server's word or by the clock of this page.
export function closeApproval(state, callId, choice) {
  const approval = state.approvals.find((one) => one.call_id === callId);
  if (!approval) return;
  state.approvals = state.approvals.filter((one) => one !== approval);
  const turn_id = state.activeTurn?.turn_id ?? state.messages.at(-1)?.turn_id ?? null;
  const workspace = state.session?.workspace ?? "";
  state.answered = [...state.answered, { ...approval, choice, workspace, turn_id, at: state.now() }];
}

function waitForWake(state) {
  state.isStale = true;
  return [];
}

function changeTodo(state, { items }) {
  state.todo = items;
  return ["todo"];
}

function showGap(state, { from, to }) {
  state.gap = { from, to };
  state.isStale = true;
  return ["gap"];
}
