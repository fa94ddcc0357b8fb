// Approvals in words: who wants what, what each answer means, and what was answered.

import { shortId } from "../ids.js";
import { readMcpName } from "../mcp/mcp_words.js";

const WANTS = {
  write_file: "wants to change a file",
  edit_file: "wants to change a file",
  process: "wants to type into a running program",
};
const ONCE = {
  write_file: "Once: this change, now.",
  edit_file: "Once: this change, now.",
  process: "Once: these words, now, and nothing else.",
};
// For servers that do not send `choices`.
const USUAL_CHOICES = ["once", "session", "deny"];
const LONGER = {
  session: { lead: "This session.", button: "Allow in this session", usual: "The same kind of call runs here without asking, as long as this session exists." },
  folder: { lead: "This folder.", button: "Allow in this folder", usual: "The same kind of call, in all your sessions in this folder and below." },
};
const LONGEST_PATH = 28;
// Find the folder and the date in the server's sentence about a folder.
const FOLDER = /\bin (\S[^,]*) and below\b/;
const UNTIL = /\buntil \d{1,2} [A-Z][a-z]+(?: \d{4})?/;

export function choicesOf({ choices }) {
  return choices ?? USUAL_CHOICES;
}

// [{reason, excerpt}] with reasons as sentences; older servers send a single reason.
export function dangersOf({ dangers, reason }) {
  const found = dangers?.length ? dangers : [{ reason, excerpt: "" }];
  return found.map((danger) => ({ ...danger, reason: sentence(danger.reason) })).filter((danger) => danger.reason);
}

// {who, id, wants}: `id` is that of the asking sub-agent, or "".
export function askerOf({ task_id: taskId, tool }) {
  return { who: taskId ? "Sub-agent" : "The agent", id: taskId ? shortId(taskId) : "", wants: WANTS[tool] ?? otherWants(tool) };
}

export function onceWords({ tool, ...approval }) {
  const isOnceOnly = !longerChoices(approval).length;
  if (isOnceOnly) return "This can only be allowed once.";
  return ONCE[tool] ?? `Once: this ${readMcpName(tool) ? "call" : "command"}, now, and nothing else.`;
}

// [{choice, lead, words, button}] of the offered choices that last longer than once.
export function longerChoices(approval) {
  const possible = choicesOf(approval).filter((choice) => LONGER[choice]);
  return possible.map((choice) => {
    const { lead, button, usual } = LONGER[choice];
    const words = approval.choice_words?.[choice] ?? usual;
    // The server's sentence may begin with the same words.
    const isSaid = words.toLowerCase().startsWith(lead.slice(0, -1).toLowerCase());
    return { choice, lead: isSaid ? "" : lead, words, button };
  });
}

// Keeps the last two parts of a long path.
export function shortPath(path) {
  return path.length <= LONGEST_PATH ? path : `…/${path.split("/").slice(-2).join("/")}`;
}

// {kind, icon, words} of a question that is over. Any other choice means that its time ran out.
export function answeredState({ choice, choice_words: said, workspace }) {
  if (choice === "once") return { kind: "ok", words: "Allowed once" };
  if (choice === "session") return { kind: "ok", words: "Allowed in this session" };
  if (choice === "folder" || choice === "always") return { kind: "ok", words: folderWords(said?.folder ?? "", workspace) };
  if (choice === "deny") return { kind: "off", icon: "cross", words: "Denied" };
  return { kind: "off", icon: "clock", words: "Denied, nobody answered" };
}

function folderWords(said, workspace) {
  const folder = FOLDER.exec(said)?.[1].replace(/^.* in /, "") ?? workspace;
  return [`Allowed in ${shortPath(folder ?? "") || "this folder"}`, UNTIL.exec(said)?.[0]].filter(Boolean).join(" ");
}

function otherWants(tool) {
  const mcp = readMcpName(tool);
  if (mcp) return `wants to use ${mcp.tool} of the MCP server ${mcp.server}`;
  return !tool || tool === "terminal" ? "wants to run a command" : `wants to use ${tool}`;
}

function sentence(reason) {
  const words = (reason ?? "").trim();
  return words && `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}
