// The output of a wake-up: its last line until somebody wants more.

import { el, icon } from "../dom.js";
import { outputView } from "./output.js";
import { lastLine, outputSize, wakeOutput } from "./wake_words.js";

// `preview` and `side` take the place of the last line and the size, in a card of several.
export function wakeFold(message, preview, side) {
  const output = wakeOutput(message);
  if (!output.trim() && !preview) return null;
  const closed = preview ?? lastLine(output);
  const last = el("span", { class: "wake__last", text: closed });
  const fold = el(
    "details",
    { class: "wake__out fold" },
    el(
      "summary",
      {},
      icon("chevron", "fold__chevron"),
      last,
      side ?? el("span", { text: outputSize(message, output) }),
    ),
  );
  fold.addEventListener("toggle", () => {
    if (!preview) last.textContent = fold.open ? "Output" : closed;
    fold.querySelector(":scope > .log, :scope > .output")?.remove();
    if (fold.open) fold.append(outputView(shown(message, output), `Output of ${message.notice.task_id}`));
  });
  return fold;
}

function shown(message, output) {
  return message.notice.cut ? `\x1b[2m… cut: this is its end\x1b[0m\n${output}` : output || "(no output)";
}
