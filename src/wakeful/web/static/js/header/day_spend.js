// In the header of the home page: what was spent today. Behind it, the last days.

import { on } from "../bus.js";
import { el } from "../dom.js";
import { openPopup } from "../popup.js";
import { isHome } from "../router.js";
import { dayRows, dayWords, todayWords, unpricedWords } from "../spending.js";
import { usageTable } from "./usage_table.js";

export function daySpendButton() {
  let usage = null;
  const button = el("button", {
    class: "usage num",
    type: "button",
    "aria-haspopup": "dialog",
    "aria-expanded": "false",
    hidden: true,
    onclick: () => openDays(button, usage),
  });
  const draw = () => {
    const words = usage && isHome() ? dayWords(usage) : "";
    button.hidden = !words;
    button.textContent = words;
  };
  on("day-spend", (report) => {
    usage = report;
    draw();
  });
  on("route", draw);
  on("beginning", draw);
  return button;
}

function openDays(button, usage) {
  const unpriced = unpricedWords(usage);
  const popup = el(
    "div",
    { class: "menu menu--floating usage-pop", role: "dialog", "aria-label": "Spending", tabindex: -1 },
    el("p", { class: "menu__group", text: "Spending, in days of UTC" }),
    el("div", { class: "menu__pad" }, usageTable(dayRows(usage))),
    el("div", { class: "menu__pad" }, el("p", { class: "menu__note", text: todayWords(usage) }), unpriced && el("p", { class: "menu__note", text: unpriced })),
  );
  openPopup(button, popup, { focus: () => popup, alignsRight: true });
}
