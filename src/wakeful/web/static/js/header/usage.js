// The meter: how full the context is and what the session has cost. Behind it, the numbers and the button that sums up.

import { on } from "../bus.js";
import { el } from "../dom.js";
import { openSession } from "../session/state.js";
import { gauge } from "./gauge.js";
import { openUsage } from "./usage_popup.js";
import { meterLabel, meterWords } from "./usage_words.js";

const WIDTH = 72;

export function usageButton() {
  const button = el("button", {
    class: "usage only-desktop",
    type: "button",
    "aria-haspopup": "dialog",
    "aria-expanded": "false",
    hidden: true,
    onclick: () => openUsage(button),
  });
  let shown = "";
  on("session-opened", () => (button.hidden = true));
  on("show-usage", openUsage);
  on("session-changed", () => {
    const usage = openSession.session?.usage;
    const words = meterWords(usage);
    button.hidden = !words;
    if (!words || shown === JSON.stringify(usage)) return;
    shown = JSON.stringify(usage);
    button.setAttribute("aria-label", meterLabel(usage));
    button.replaceChildren(...[el("span", { class: "num", text: words }), gauge(usage, WIDTH)].filter(Boolean));
  });
  return button;
}

export function usageWords() {
  return meterWords(openSession.session?.usage);
}
