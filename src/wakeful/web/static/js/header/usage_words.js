// How full the context is and what the session has cost, in words.

import { money, price, tokens, whole } from "../format.js";
import { modelName } from "../model_names.js";

// "24k of 200k · $0.31", "16k of 32k, no price"; the total where the size of the window is unknown.
export function meterWords(usage) {
  if (!usage || !total(usage)) return "";
  const { context_tokens: used, context_window: size } = usage;
  const context = size ? `${tokens(used)} of ${tokens(size)}` : `${tokens(total(usage))} tokens`;
  return usage.cost_usd === null ? `${context}, no price` : `${context} · ${money(usage.cost_usd)}`;
}

// The same as a sentence, for screen readers.
export function meterLabel(usage) {
  const { context_tokens: used, context_window: size, compact_at_tokens: mark, cost_usd: cost } = usage;
  const context = size ? `${whole(used)} of ${whole(size)} tokens` : `${whole(used)} tokens`;
  const tick = mark ? `; summed up at ${whole(mark)}` : "";
  const spent = cost === null ? "This session has no price" : `This session cost ${money(cost)}`;
  return `Context: ${context}${tick}. ${spent}`;
}

// ["74k of 200k tokens", "sums up at 160k"]
export function contextWords({ context_tokens: used, context_window: size, compact_at_tokens: mark }) {
  const context = size ? `${tokens(used)} of ${tokens(size)} tokens` : `${tokens(used)} tokens, window unknown`;
  return [context, mark ? `sums up at ${tokens(mark)}` : ""];
}

// [[name, tokens, cost]]; the last is the sum. `costs` is null until they are known.
export function usageRows(usage, costs) {
  const rows = costs ? [...paidRows(costs), ...restRows(usage, costs)] : usedRows(usage);
  return [...rows, ["This session", whole(total(usage)), price(usage.cost_usd)]];
}

function paidRows({ input, cached, output, others }) {
  const paid = [
    ["Read", input],
    ["From the cache", cached],
    ["Written", output],
  ].filter(([, { tokens: used }]) => used);
  return [
    ...paid.map(([name, { tokens: used, cost_usd: cost }]) => [name, whole(used), money(cost)]),
    ...others.map(({ model, tokens: used, cost_usd: cost }) => [otherName(model, cost), whole(used), price(cost)]),
  ];
}

// What was paid for without an answer of the session: its title, and answers that broke off.
function restRows(usage, { input, cached, output, others, isOld }) {
  const rows = [input, cached, output, ...others];
  const rest = total(usage) - sum(rows.map((row) => row.tokens));
  // Costs of before the last answer do not sum up.
  if (rest <= 0 || isOld) return [];
  const unpriced = (usage.unpriced_tokens ?? 0) - sum(others.filter((row) => row.cost_usd === null).map((row) => row.tokens));
  const cost = usage.cost_usd === null || unpriced >= rest ? null : Math.max(0, usage.cost_usd - sum(rows.map((row) => row.cost_usd ?? 0)));
  return [["Title, broken answers", whole(rest), price(cost)]];
}

function sum(numbers) {
  return numbers.reduce((all, number) => all + number, 0);
}

function usedRows({ input_tokens: read, output_tokens: written }) {
  return [
    ["Read", whole(read), ""],
    ["Written", whole(written), ""],
  ];
}

function otherName(model, cost) {
  const name = model ? modelName(model) : "Older answers";
  return cost === null ? `${name}, no price` : name;
}

function total({ input_tokens: read, output_tokens: written }) {
  return read + written;
}
