// The unfolded part of a call: its arguments, and its result as a terminal would show it.

import { api } from "../api.js";
import { el } from "../dom.js";
import { planList } from "../drawer/plan.js";
import { count } from "../format.js";
import { openSession } from "../session/state.js";
import { changesView, nearestView } from "./changes.js";
import { foundSessions } from "./hits.js";
import { outputView } from "./output.js";
import { readCall } from "./tool_words.js";

export function toolBody(message) {
  const call = readCall(message.tool);
  return el("div", { class: "tool__body" }, ownView(message, call) ?? [...argumentsView(message.tool, call), ...resultView(message, call)]);
}

// What changes of files and of the plan show instead of their arguments.
function ownView(message, call) {
  if (message.tool.changes?.length) return changesView(message);
  return call.plan?.length ? [planList(call.plan)] : null;
}

function argumentsView(tool, call) {
  return [el("p", { class: "tool__part", text: "Arguments" }), argumentList(tool, call)];
}

function resultView({ id, tool }, call) {
  if (tool.result === null || tool.result === undefined) return [];
  if (call.nearest.length) return [nearestView(call.nearest, call.what)];
  const fetchAll = () => wholeResult(id, tool);
  const hits = foundSessions(tool, fetchAll);
  if (hits) return [hits];
  // The row already shows the error.
  const text = call.output ?? (call.error ? furtherFields(tool) : tool.result);
  const size = tool.truncated ? tool.full_size : text.length;
  if (!text) return [];
  return [
    el("p", { class: "tool__part", text: `Result, ${count(size, "character")}` }),
    outputView(text, `Result of ${tool.name}`, tool.truncated ? fetchAll : null, size),
  ];
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
