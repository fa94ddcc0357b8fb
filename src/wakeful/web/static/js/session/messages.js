// Messages of the open session. Each has a `rev` that grows when it changes, so the page redraws only those.

let revision = 0;

export function touch(message) {
  message.rev = ++revision;
  return message;
}

function newMessage(fields) {
  return touch({
    html: null,
    reasoning: null,
    model: null,
    tool: null,
    notice: null,
    summary: null,
    code: null,
    attachments: [],
    content: "",
    blocks: null,
    isOpen: false,
    ...fields,
  });
}

// Finds or adds the answer of a step, with the id that the server will list.
export function answerOf(state, turnId, step) {
  const id = `${turnId}.${step}.0`;
  const known = state.messages.findLast((message) => message.id === id);
  // A step that was begun again may have been a summary before.
  if (known?.role === "assistant") return known;
  return add(state, { id, turn_id: turnId, role: "assistant", source: "assistant", isOpen: true });
}

// Replaces a message with the same id.
export function add(state, fields) {
  const at = state.messages.findLastIndex((message) => message.id === fields.id);
  const message = newMessage({ created_at: state.now(), ...fields });
  if (at === -1) state.messages.push(message);
  else state.messages[at] = message;
  return message;
}

export function remove(state, id) {
  state.messages = state.messages.filter((message) => message.id !== id);
}

// The listed messages; those that have not changed keep their object, and so their element.
export function merged(known, listed) {
  const byId = new Map(known.map((message) => [message.id, message]));
  return listed.map((fields) => {
    const before = byId.get(fields.id);
    return before && isSame(before, fields) ? before : newMessage({ ...kept(before), ...fields });
  });
}

function isSame(message, fields) {
  return (
    !message.isOpen &&
    message.turn_id === fields.turn_id &&
    message.role === fields.role &&
    message.content === fields.content &&
    message.html === fields.html &&
    message.reasoning === (fields.reasoning ?? null) &&
    message.model === (fields.model ?? null) &&
    message.created_at === fields.created_at &&
    message.code === (fields.code ?? null) &&
    JSON.stringify(message.notice) === JSON.stringify(fields.notice) &&
    JSON.stringify(message.summary) === JSON.stringify(fields.summary ?? null) &&
    message.attachments.length === (fields.attachments ?? []).length &&
    isSameTool(message.tool, fields.tool)
  );
}

function isSameTool(one, other) {
  if (!one || !other) return one === other;
  // A frame may have the whole of a result that the list cuts in the middle.
  const isSameResult =
    one.result === other.result || (other.truncated && !one.truncated && one.full_size === other.full_size);
  const isSameEnd = one.status === other.status && Boolean(one.is_error) === Boolean(other.is_error);
  return isSameEnd && isSameResult && one.seconds === other.seconds && undoneOf(one) === undoneOf(other);
}

function undoneOf({ changes = [] }) {
  return JSON.stringify(changes.map((change) => change.undone));
}

// Fields that only this page knows.
function kept(message) {
  return message ? { thoughtAt: message.thoughtAt, thoughtSeconds: message.thoughtSeconds } : {};
}
