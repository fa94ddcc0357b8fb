// Groups the messages of a turn into items: consecutive calls share a card, and so do notices that arrived together. A
// change of the model is an item before the step that another model answered.

const NOTICE = "wake";

// [{kind, key, messages}]: kind is said, wake, answer, tools, summary, remark, undone, error or note. `answered`: approvals of
// this turn; `changes`: its changes of the model.
export function itemsOf(messages, answered = [], changes = []) {
  const items = [];
  const remarks = remarksOf(changes);
  for (const message of messages) {
    while (remarks.length && isFrom(message, remarks[0].step)) items.push(placed(remarks.shift(), items));
    const kind = kindOf(message);
    const last = items.at(-1);
    if (last && joins(last, kind, message)) last.messages.push(message);
    else items.push({ kind, key: `${kind}:${message.id}`, messages: [message] });
  }
  for (const remark of remarks) items.push(placed(remark, items));
  return withApprovals(items, answered);
}

function remarksOf(changes) {
  const steps = [...new Set(changes.map((change) => change.step))].sort((one, other) => one - other);
  return steps.map((step) => ({
    kind: "remark",
    key: `remark:${step}`,
    messages: [],
    step,
    changes: changes.filter((change) => change.step === step),
  }));
}

// `isFirst`: no other model has answered a step of the turn.
function placed(remark, items) {
  return { ...remark, isFirst: !items.some(({ kind }) => kind === "answer" || kind === "tools") };
}

// Whether a message comes from this step on. What was said to the agent belongs to the step before.
function isFrom({ id, role }, step) {
  const [, own] = id.split(".");
  return role !== "user" && (own === "end" || Number(own) >= step);
}

function kindOf(message) {
  if (message.notice) return NOTICE;
  if (message.summary) return "summary";
  if (message.source === "undo") return "undone";
  if (message.role === "assistant") return "answer";
  if (message.role === "tool") return "tools";
  return message.role === "error" || message.role === "note" ? message.role : "said";
}

function joins(item, kind, message) {
  if (item.kind !== kind) return false;
  if (kind === NOTICE) return item.messages[0].notice.delivered === message.notice.delivered;
  return kind === "tools";
}

// Puts an answered approval below the call that asked for it.
function withApprovals(items, answered) {
  for (const approval of answered) {
    const line = { kind: "approval", key: `approval:${approval.call_id}`, messages: [], approval };
    const at = items.findLastIndex(({ messages }) => messages.some((one) => one.tool?.call_id === approval.call_id));
    if (at === -1) items.push(line);
    else items.splice(at + 1, 0, line);
  }
  return items;
}
