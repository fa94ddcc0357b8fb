// What the last days have cost, and the amounts at which agents stop.

import { el, icon } from "../dom.js";
import { usageTable } from "../header/usage_table.js";
import { me } from "../me.js";
import { dayRows, fetchDays, limitRows, spentWords, unpricedWords } from "../spending.js";
import { setSection } from "./set_section.js";

export function spendingSection() {
  const body = el("div", { class: "entries" }, el("p", { class: "dim", text: "Loading…" }));
  show(body);
  return setSection("spending", "Spending", "days begin at midnight UTC", body);
}

async function show(body) {
  try {
    const usage = await fetchDays();
    body.replaceChildren(...parts(usage));
  } catch (error) {
    body.replaceChildren(el("p", { class: "field__error" }, icon("fail"), error.message));
  }
}

function parts(usage) {
  const unpriced = unpricedWords(usage);
  const rows = dayRows(usage);
  return [
    el("p", { class: "spent", text: spentWords(usage) }),
    // The last row is the sum of the others.
    ...(rows.length > 1 ? [usageTable(rows)] : []),
    ...(unpriced ? [el("p", { class: "field__hint", text: unpriced })] : []),
    el("ul", { class: "rows", role: "list" }, limitRows(usage, me.config_file).map(limit)),
  ];
}

function limit([title, note]) {
  return el("li", { class: "row" }, icon("coin"), el("p", { class: "row__title row__title--wrap", text: title }), el("p", { class: "row__note row__note--wrap", text: note }));
}
