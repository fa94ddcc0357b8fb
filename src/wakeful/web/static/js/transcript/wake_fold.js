// The output of a wake-up: its last line until the reader unfolds it.

import { el, icon } from "../dom.js";
import { outputView } from "./output.js";
import { lastLine, outputSize, wakeOutput } from "./wake_words.js";

// In a card for several notices, `preview` and `side` replace the last line and the size.
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
  return message.notice.cut ? `\x1b[2m… cut: this is the end of the output\x1b[0m\n${output}` : output || "(no output)";
}
