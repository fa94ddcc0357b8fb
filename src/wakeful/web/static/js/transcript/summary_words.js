// The line of a summary in words.

import { duration, tokens } from "../format.js";

export function summaryTitle({ isOpen, summary }) {
  if (isOpen) return "Summing up older messages";
  return summary.model ? "Older messages summed up" : "Older messages summed up without a model";
}

export function summarySize({ summary }) {
  if (!summary.model) return "three tries failed; first words of each are kept";
  return `${tokens(summary.tokens_before)} → ${tokens(summary.tokens_after)} tokens`;
}

export function runningSize({ summary }, seconds) {
  return `${tokens(summary.tokens_before)} tokens, ${duration(seconds)}`;
}
