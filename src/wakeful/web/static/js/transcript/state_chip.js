// A state as an icon and words: {kind: live|ok|fail|off|needs, icon, id, words, since}. `since` shows a running time.

import { el, icon } from "../dom.js";
import { tick } from "../ticker.js";

const ICONS = { ok: "ok", fail: "fail" };

export function stateChip({ kind, icon: name = ICONS[kind], id, words, since }) {
  const chip = el("span", { class: `state state--${kind} num` });
  if (kind === "live") chip.append(el("span", { class: "ring" }));
  else if (name) chip.append(icon(name));
  if (id) chip.append(el("span", { class: "only-desktop", text: `${id} ·` }));
  const text = el("span", { text: words ?? "" });
  chip.append(text);
  if (since) tick(text, since);
  return chip;
}
