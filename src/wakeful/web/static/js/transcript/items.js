// Groups the messages of a turn into items: consecutive calls share a card, and so do notices that arrived together.

const NOTICE = "wake";

// [{kind, key, messages}]: kind is said, wake, answer, tools, error or note. `answered`: approvals of this turn.
export function itemsOf(messages, answered = []) {
  const items = [];
  for (const message of messages) {
    const kind = kindOf(message);
    const last = items.at(-1);
    if (last && joins(last, kind, message)) last.messages.push(message);
    else items.push({ kind, key: `${kind}:${message.id}`, messages: [message] });
  }
  return withApprovals(items, answered);
}

function kindOf(message) {
  if (message.notice) return NOTICE;
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
