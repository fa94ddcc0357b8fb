// Messages of the open session. Each has a `rev` that grows when it changes, so that the screen redraws only those.

let revision = 0;

export function touch(message) {
  message.rev = ++revision;
  return message;
}

export function newMessage(fields) {
  return touch({
    html: null,
    reasoning: null,
    tool: null,
    notice: null,
    content: "",
    blocks: null,
    isOpen: false,
    ...fields,
  });
}

// The answer of a step, in the place where the server will list it.
export function answerOf(state, turnId, step) {
  const id = `${turnId}.${step}.0`;
  const known = state.messages.findLast((message) => message.id === id);
  if (known) return known;
  return add(state, { id, turn_id: turnId, role: "assistant", source: "assistant", isOpen: true });
}

// A message that comes again is the same one.
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

// What the server lists takes the place of what we have; whatever is the same keeps its object, and so its element.
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
    message.created_at === fields.created_at &&
    JSON.stringify(message.notice) === JSON.stringify(fields.notice) &&
    isSameTool(message.tool, fields.tool)
  );
}

function isSameTool(one, other) {
  if (!one || !other) return one === other;
  // Frames may tell the whole of what a list tells only the ends of.
  const isSameResult =
    one.result === other.result || (other.truncated && !one.truncated && one.full_size === other.full_size);
  const isSameEnd = one.status === other.status && Boolean(one.is_error) === Boolean(other.is_error);
  return isSameEnd && isSameResult && one.seconds === other.seconds;
}

// What only this page knows of a message.
function kept(message) {
  return message ? { thoughtAt: message.thoughtAt, thoughtSeconds: message.thoughtSeconds } : {};
}
