// The unfolded part of a call: its arguments, and its result as a terminal would show it.

import { api } from "../api.js";
import { el } from "../dom.js";
import { planList } from "../drawer/plan.js";
import { count } from "../format.js";
import { openSession } from "../session/state.js";
import { changesView, nearestView } from "./changes.js";
import { foundSessions, hitList } from "./hits.js";
import { outputView } from "./output.js";
import { readCall } from "./tool_words.js";

export function toolBody(message) {
  const { id, tool } = message;
  const call = readCall(tool);
  const body = el("div", { class: "tool__body" });
  if (tool.changes?.length) {
    body.append(...changesView(message));
    return body;
  }
  if (call.plan?.length) {
    body.append(planList(call.plan));
    return body;
  }
  body.append(el("p", { class: "tool__part", text: "Arguments" }), argumentList(tool, call));
  if (tool.result === null || tool.result === undefined) return body;
  if (call.nearest.length) {
    body.append(nearestView(call.nearest, call.what));
    return body;
  }
  const hits = foundSessions(tool);
  if (hits) {
    body.append(hitList(hits));
    return body;
  }
  // The row already shows the error.
  const text = call.output ?? (call.error ? furtherFields(tool) : tool.result);
  const size = tool.truncated ? tool.full_size : text.length;
  const fetchAll = tool.truncated ? () => wholeResult(id, tool) : null;
  if (text)
    body.append(
      el("p", { class: "tool__part", text: `Result, ${count(size, "character")}` }),
      outputView(text, `Result of ${tool.name}`, fetchAll, size),
    );
  return body;
}

// The fields of a failure besides its sentence: the number of matches, the path. `nearest` has lines or says nothing.
function furtherFields({ result }) {
  try {
    const { error, code, nearest, ...more } = JSON.parse(result);
    return Object.keys(more).length ? JSON.stringify(more, null, 1) : "";
  } catch {
    return result;
  }
}

async function wholeResult(id, tool) {
  const { result } = await api.get("/api/session/result", { session_id: openSession.id, message_id: id });
  return readCall({ ...tool, result, truncated: false }).output ?? result;
}

function argumentList(tool, { arguments: given }) {
  if (!given) return el("pre", { class: "log", tabindex: 0, text: String(tool.arguments ?? "") });
  const pairs = Object.entries(given).flatMap(([name, value]) => [
    el("dt", { text: name }),
    el("dd", { text: asText(value) }),
  ]);
  return pairs.length ? el("dl", { class: "args" }, pairs) : el("p", { class: "dim", text: "none" });
}

function asText(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}
