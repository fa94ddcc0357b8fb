// What tokens cost, as a table.

import { el } from "../dom.js";

// `rows` are [name, tokens, cost]; the last is the sum.
export function usageTable(rows) {
  return el("table", { class: "usage-table" }, rows.map(row));
}

function row([name, number, cost]) {
  return el("tr", {}, el("th", { scope: "row", text: name }), el("td", { text: number }), el("td", { text: cost }));
}
