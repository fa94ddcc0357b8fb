// What a running sub-agent does and has used so far, in words.

import { count, money, tokens } from "./format.js";
import { modelName } from "./model_names.js";

// "terminal pytest -q", the last words in quotes, or "thinking" before the first answer.
export function doingWords(work) {
  if (work?.tool) return [work.tool, work.argument].filter(Boolean).join(" ");
  return work?.words ? `“${work.words}”` : "thinking";
}

// "4 steps · 12.3k tokens · $0.03 · 1 sub-agent"; before it the model, if it is not that of the session.
export function usedWords(work) {
  if (!work) return "";
  const used = work.input_tokens + work.output_tokens;
  const price = work.cost_usd === null ? "no price" : work.cost_usd > 0 ? money(work.cost_usd) : "";
  const parts = [
    modelName(work.model),
    count(work.steps, "step"),
    used ? `${tokens(used)} tokens` : "",
    price,
    work.sub_agents ? count(work.sub_agents, "sub-agent") : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

// The running sub-agents that a call has started, in the order of their goals.
export function delegatesOf(message, given, tasks) {
  const parts = Array.isArray(given?.tasks) && given.tasks.length ? given.tasks : [given];
  const goals = parts.map((part) => String(part?.goal ?? "").trim());
  const place = (task) => goals.indexOf(task.command.split("\n\nContext:\n")[0]);
  return tasks
    .filter((task) => task.kind === "delegation" && task.status === "running" && task.message_id === message.id)
    .sort((one, other) => place(one) - place(other) || one.id.localeCompare(other.id));
}
