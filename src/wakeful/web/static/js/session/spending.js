// Adds up what answers cost, as the server does.

// `cost` is null where the price is unknown. The sum is null when no answer has a price, which is not the same as free.
export function withAnswer(before, { input_tokens: read = 0, output_tokens: written = 0 }, cost) {
  const usd = (before?.cost_usd ?? 0) + (cost ?? 0);
  const unpriced = (before?.unpriced_tokens ?? 0) + (cost === null ? read + written : 0);
  return {
    ...before,
    input_tokens: (before?.input_tokens ?? 0) + read,
    output_tokens: (before?.output_tokens ?? 0) + written,
    cost_usd: unpriced && !usd ? null : usd,
    unpriced_tokens: unpriced,
  };
}
