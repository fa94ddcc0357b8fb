// How many tokens the session has used, and how full the model's context window is.

import { on } from "../bus.js";
import { el } from "../dom.js";
import { tokens, whole } from "../format.js";
import { openPopup } from "../popup.js";
import { openSession } from "../session/state.js";

export function usageButton() {
  const words = el("span", { class: "num" });
  const meter = el("span", { class: "usage__meter" });
  const button = el(
    "button",
    {
      class: "usage only-desktop",
      type: "button",
      "aria-expanded": "false",
      hidden: true,
      onclick: () => show(button),
    },
    words,
    meter,
  );
  on("session-opened", () => (button.hidden = true));
  on("show-usage", (anchor) => show(anchor));
  on("session-changed", () => {
    const text = usageWords();
    button.hidden = !text;
    if (words.textContent === text) return;
    words.textContent = text;
    button.setAttribute("aria-label", `Context and cost: ${text}`);
    meter.replaceChildren(...contextMeter());
  });
  return button;
}

// "48.2k of 200k", or the total where the size of the window is unknown.
export function usageWords() {
  const usage = openSession.session?.usage;
  if (!usage || !(usage.input_tokens + usage.output_tokens)) return "";
  if (usage.context_window) return `${tokens(usage.context_tokens)} of ${tokens(usage.context_window)}`;
  return `${tokens(usage.input_tokens + usage.output_tokens)} tokens`;
}

function contextMeter() {
  const { context_tokens: used, context_window: size } = openSession.session?.usage ?? {};
  if (!size) return [];
  return [
    el("meter", {
      class: "meter",
      min: 0,
      max: size,
      low: size * 0.75,
      high: size * 0.9,
      optimum: 0,
      value: used,
      "aria-label": "Context in use",
      text: `${Math.round((used / size) * 100)}%`,
    }),
  ];
}

function show(button) {
  const { usage } = openSession.session;
  const rows = [
    ["Context", usage.context_tokens],
    ["Read", usage.input_tokens],
    ["Written", usage.output_tokens],
    ["This session", usage.input_tokens + usage.output_tokens],
  ];
  const table = el(
    "table",
    { class: "usage-table" },
    rows.map(([name, number]) =>
      el("tr", {}, el("th", { scope: "row", text: name }), el("td", { text: whole(number ?? 0) })),
    ),
  );
  openPopup(
    button,
    el("div", { class: "menu menu--floating", tabindex: -1 }, el("div", { class: "menu__pad" }, contextMeter(), table)),
    { focus: () => document.querySelector(".menu--floating") },
  );
}
