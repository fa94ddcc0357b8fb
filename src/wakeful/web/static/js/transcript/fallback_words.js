// Says who answered instead of whom, why, and what the next turn does.

import { modelName, providerName } from "../model_names.js";

const WHY = {
  model_unavailable: "was not available",
  model_timeout: "did not respond in time",
  model_rate_limited: "was limiting requests",
  model_stream_broken: "broke off",
  model_credit: "is out of credit",
  model_auth: "has no valid key",
  model_not_found: "was not found",
};
// The server does not ask these for a while.
const RESTS = new Set(["model_credit", "model_auth"]);

// `changes` are those of one step. Returns pieces of text; names are {name}.
export function fallbackWords({ changes, isFirst }) {
  const { step, to, isOpen } = changes.at(-1);
  const whole = isOpen ? "Now asking " : isFirst ? "Answered by " : "Went on with ";
  const from = isOpen || isFirst ? "" : ` from step ${step}`;
  const reasons = changes.flatMap((change, index) => [
    index ? " and " : "",
    { name: modelName(change.from) },
    ` ${why(change)}`,
  ]);
  return [whole, { name: modelName(to) }, ` (${providerName(to)})${from}, because `, ...reasons, `. ${next(changes)}`];
}

function why({ code, message }) {
  return code === "model_unavailable" && message.includes("is overloaded") ? "was overloaded" : (WHY[code] ?? "failed");
}

function next([{ from, code }]) {
  const name = modelName(from);
  return RESTS.has(code) ? `${name} is passed over for 10 min.` : `The next turn begins with ${name} again.`;
}
