// A change of the plan as one line: what is being done now, and how much is done.

import { count } from "../format.js";

// The items of the plan after this call; null for other calls, and for those that failed.
export function planOf({ name }, result) {
  return name === "todo" && Array.isArray(result?.items) ? result.items : null;
}

// "Load test again", or "5 steps" while none is under way.
export function planWhat(items) {
  return items.find((item) => item.status === "active")?.text ?? count(items.length, "step");
}

// "3 of 5 done"; "planned" before the first has begun.
export function planState(items) {
  const done = items.filter((item) => item.status === "done").length;
  const hasBegun = items.some((item) => item.status !== "pending");
  return { kind: "ok", words: hasBegun ? `${done} of ${items.length} done` : "planned" };
}
