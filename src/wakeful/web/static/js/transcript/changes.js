// What a call has changed in files: lines added and removed, the diff, and a button that takes it back.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { copyText } from "../clipboard.js";
import { el, icon } from "../dom.js";
import { count, whole } from "../format.js";
import { openSession } from "../session/state.js";
import { diffView } from "./diff.js";
import { undo } from "./undoing.js";

// A longer diff is folded.
const MOST_LINES = 200;
// Ends a diff of which the server has sent only the beginning.
const CUT = "[… more …]";
const COVERS = "Undo covers files that the agent wrote or edited, not what commands changed.";
const WHY = {
  changed_since: ["The file was changed since.", "It is not as the agent left it, so it was not touched."],
  not_kept: ["What stood there was not kept.", "The file was too large, or it is too long ago."],
  unwritable: ["The file cannot be written.", "Check its folder and its permissions, then try again."],
};

// The state of a call that has changed files; null if its result says more.
export function changeState({ changes = [], notUndone }) {
  if (!changes.length) return null;
  if (changes.every((change) => change.undone)) return { kind: "off", icon: "undo", words: "undone by you" };
  if (notUndone) return { kind: "off", icon: "info", words: "not undone" };
  const [{ kind, added, removed }] = changes;
  if (kind === "created") return { kind: "ok", words: `new, ${count(added, "line")}` };
  return { kind: "delta", added, removed };
}

// Why it could not be taken back: a sentence, and what it means.
export function whyNotUndone({ notUndone }) {
  return WHY[notUndone] ?? ["", ""];
}

export function deltaView({ added, removed }) {
  return el(
    "span",
    { class: "delta", "aria-label": `${count(added, "line")} added, ${count(removed, "line")} removed` },
    el("span", { class: "adds", text: `+${whole(added)}` }),
    el("span", { class: "dels", text: `−${whole(removed)}` }),
  );
}

export function changesView(message) {
  const { changes } = message.tool;
  return [...changes.map((change) => foldedDiff(message, change)), foot(message)];
}

function foldedDiff(message, change) {
  const isCut = change.diff.endsWith(CUT);
  const lines = change.diff.split("\n");
  const label = `Changes in ${change.path}`;
  if (!isCut && lines.length <= MOST_LINES) return diffView(change.diff, change.path, "", label);
  const view = el("div", { class: "output" });
  const more = el("button", { class: "button button--small", type: "button", text: "Show the whole change" });
  view.append(diffView(lines.slice(0, MOST_LINES).join("\n").replace(CUT, ""), change.path, "", label), more);
  more.addEventListener("click", async () => {
    more.disabled = true;
    try {
      const diff = isCut ? await wholeDiff(message, change) : change.diff;
      const all = diffView(diff, change.path, "", label);
      view.replaceChildren(all);
      all.focus();
    } catch (error) {
      more.disabled = false;
      emit("toast", { kind: "fail", title: "The rest was not loaded", text: error.message });
    }
  });
  return view;
}

async function wholeDiff({ id }, { path }) {
  const { changes } = await api.get("/api/session/result", { session_id: openSession.id, message_id: id });
  return changes.find((change) => change.path === path).diff;
}

function foot(message) {
  const { tool } = message;
  const isUndone = tool.changes.every((change) => change.undone);
  const isKept = tool.changes.some((change) => change.undoable);
  const [, meaning] = whyNotUndone(tool);
  const words = isUndone ? "Undone. The agent learns of it with the next message." : meaning || (isKept ? COVERS : WHY.not_kept[1]);
  return el(
    "div",
    { class: "card__foot" },
    el("span", { text: words }),
    !isUndone && isKept && undoButton(message),
    el(
      "button",
      { class: "button button--quiet button--small", type: "button", onclick: () => copyText(plain(tool.changes)) },
      icon("copy"),
      "Copy",
    ),
  );
}

function undoButton(message) {
  const force = message.tool.notUndone === "changed_since";
  const button = el(
    "button",
    { class: "button button--small", type: "button" },
    icon("undo"),
    force ? "Undo all the same" : message.tool.name === "edit_file" ? "Undo this edit" : "Undo this change",
  );
  let isBusy = false;
  button.addEventListener("click", async () => {
    // A disabled button would lose the focus.
    if (isBusy) return;
    isBusy = true;
    await undo(message, force);
    isBusy = false;
  });
  return button;
}

function plain(changes) {
  return changes.map((change) => change.diff).join("\n");
}

// Lines of a file that come closest to a text that was not found.
export function nearestView(nearest, path) {
  const lines = nearest.map(({ line, text }) =>
    el("span", { class: "ln" }, el("i", { text: line }), el("i", { text: "" }), el("i", { text })),
  );
  const at = el("span", { class: "diff__at", text: `${nearestWords(nearest)} of ${path}` });
  return el("pre", { class: "diff diff--lines", tabindex: 0, "aria-label": "Nearest lines" }, at, lines);
}

// Lines that do not follow each other have their numbers beside them.
function nearestWords(nearest) {
  const [first, last] = [nearest[0].line, nearest.at(-1).line];
  if (last - first + 1 !== nearest.length) return "nearest lines";
  return first === last ? `nearest, line ${first}` : `nearest, lines ${first} to ${last}`;
}
