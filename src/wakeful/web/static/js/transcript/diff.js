// Shows a unified diff with line numbers: removed lines red, added lines green.

import { el } from "../dom.js";

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
const SIGNS = { "+": "add", "-": "del", " ": "same" };

export function diffView(text, path, more = "", label = "Proposed change") {
  const lines = diffLines(text).map(lineView);
  const isNew = /^@@ -0,0 /m.test(text);
  const title = el("span", { class: "diff__at", text: isNew ? `${path}, new file` : path });
  return el("pre", { class: `diff diff--lines ${more}`.trim(), tabindex: 0, "aria-label": label }, title, lines);
}

// [{kind: at|add|del|same, number, text}]
export function diffLines(text) {
  const lines = [];
  let [before, after] = [0, 0];
  let isInside = false;
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      [before, after] = [Number(hunk[1]), Number(hunk[3])];
      if (isInside || before > 1 || hunk[5]) lines.push({ kind: "at", number: null, text: hunkTitle(hunk) });
      isInside = true;
    } else if (isInside) {
      const kind = line.startsWith("\\") ? "at" : (SIGNS[line[0] || " "] ?? "same");
      const number = kind === "at" ? null : kind === "del" ? before : after;
      lines.push({ kind, number, text: line.slice(1) });
      if (kind === "del" || kind === "same") before += 1;
      if (kind === "add" || kind === "same") after += 1;
    }
  }
  // Text that is no diff is shown as it is.
  return isInside ? lines : text.split("\n").map((line) => ({ kind: "same", number: null, text: line }));
}

function hunkTitle([, , , from, size = "1", where]) {
  const last = Number(from) + Math.max(1, Number(size)) - 1;
  return `lines ${from} to ${last}${where ? `, in ${where}` : ""}`;
}

function lineView({ kind, number, text }) {
  if (kind === "at") return el("span", { class: "diff__at", text });
  const sign = { add: "+", del: "−", same: "" }[kind];
  return el("span", { class: `ln diff__${kind}` }, el("i", { text: number ?? "" }), el("i", { text: sign }), el("i", { text }));
}
