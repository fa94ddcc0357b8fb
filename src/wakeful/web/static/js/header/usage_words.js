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
  return [...(costs ? paidRows(costs) : usedRows(usage)), ["This session", whole(total(usage)), price(usage.cost_usd)]];
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
