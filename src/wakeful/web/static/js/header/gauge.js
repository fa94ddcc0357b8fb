// How full the context is, drawn with attributes alone. The tick is where older messages are summed up.

import { svg } from "../dom.js";

// From this part of the way to the tick on, the bar has another colour.
const NEAR = 0.9;

// Null where the size of the window is unknown.
export function gauge({ context_tokens: used, context_window: size, compact_at_tokens: mark }, width, kind = "") {
  if (!size) return null;
  const x = (count) => Math.min(width, (count / size) * width);
  const isNear = mark && used >= mark * NEAR;
  const bar = (name, length) => svg("rect", { class: name, x: 0, y: 3, width: length, height: 4, rx: 2 });
  return svg(
    "svg",
    { class: `gauge ${kind}`.trim(), viewBox: `0 0 ${width} 10`, preserveAspectRatio: "none", "aria-hidden": "true" },
    bar("g-track", width),
    bar(isNear ? "g-near" : "g-fill", x(used)),
    mark ? svg("path", { class: "g-mark", d: `M${x(mark)} 0V10` }) : null,
  );
}
