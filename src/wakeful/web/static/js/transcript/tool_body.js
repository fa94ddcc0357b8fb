// The inside of a call: its arguments, and its result as a terminal would show it.

import { el } from "../dom.js";
import { count } from "../format.js";
import { outputView } from "./output.js";
import { readCall } from "./tool_words.js";

export function toolBody(tool) {
  const call = readCall(tool);
  const body = el("div", { class: "tool__body" });
  body.append(el("p", { class: "tool__part", text: "Arguments" }), argumentList(tool, call));
  if (tool.result === null || tool.result === undefined) return body;
  const text = call.output ?? tool.result;
  if (call.error) body.append(el("p", { class: "tool__part", text: "Error" }), el("p", { class: "tool__error", text: call.error }));
  if (text) body.append(el("p", { class: "tool__part", text: `Result, ${count(text.length, "character")}` }), outputView(text, `Result of ${tool.name}`));
  return body;
}

function argumentList(tool, { arguments: given }) {
  if (!given) return el("pre", { class: "log", tabindex: 0, text: String(tool.arguments ?? "") });
  const pairs = Object.entries(given).flatMap(([name, value]) => [el("dt", { text: name }), el("dd", { text: asText(value) })]);
  return pairs.length ? el("dl", { class: "args" }, pairs) : el("p", { class: "dim", text: "none" });
}

function asText(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}
