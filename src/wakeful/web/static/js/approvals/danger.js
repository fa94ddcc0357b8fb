// The part of a command that somebody should look at, as far as its kind tells which words those are.

import { el } from "../dom.js";

const PARTS = {
  recursive_delete: /\brm\s+(?:-\S+\s*)+/,
  find_delete: /-delete\b|-exec\s+rm\b/,
  git_clean: /\bgit\s+clean(?:\s+-\S+)*/,
  force_push: /\bgit\s+push\b.*?(?:--force\S*|\s-f\b)/,
  git_reset: /\bgit\s+reset\s+--hard\b/,
  run_download: /\|\s*(?:sudo\s+)?(?:\w*sh|python\d*|perl|ruby|node)\b/,
};
const ANY =
  /\b(?:rm\s+-\S+|git\s+clean\s+-\S+|git\s+push\s+.*--force\S*|mkfs\S*|dd\s+\S+|shutdown|reboot|chmod\s+-R|chown\s+-R|sudo)\b/;

export function markDanger({ command, danger }) {
  const found = (PARTS[danger] ?? ANY).exec(command) ?? ANY.exec(command);
  if (!found) return [command];
  const marked = found[0].trimEnd();
  const end = found.index + marked.length;
  return [command.slice(0, found.index), el("span", { class: "approval__danger", text: marked }), command.slice(end)];
}
