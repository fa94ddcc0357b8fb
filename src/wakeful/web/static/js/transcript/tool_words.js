// What a call does and how it went, read from its name, arguments and result.

import { exactDuration } from "../format.js";
import { shortId } from "../ids.js";
import { readMcpName } from "../mcp/mcp_words.js";
import { codeWords, endedWell } from "../words.js";
import { readCutFailure, readCutJson } from "./cut_json.js";
import { failureState } from "./failure_words.js";
import { planOf, planState, planWhat } from "./plan_words.js";

const ICONS = {
  terminal: "terminal",
  process: "terminal",
  read_file: "file",
  list_files: "file",
  write_file: "edit",
  edit_file: "edit",
  show_file: "watch",
  send_file: "watch",
  search_files: "search",
  session_search: "search",
  web_fetch: "globe",
  todo: "list",
  delegate_task: "agent",
};
// The argument to show: the first of these that the call has.
const MAIN = ["command", "path", "goal", "query", "url", "session_id", "pattern", "name"];
const TASK_ID = /\b(?:proc|del)_[A-Za-z0-9]+/g;

// {icon, name, what, caption, arguments, output, exitCode, error, code, nearest, taskIds, plan}: `error` is a sentence, ""
// if nothing failed; `plan` is null but for a change of the plan.
export function readCall(tool) {
  const given = asObject(tool.arguments);
  const result = asObject(tool.result) ?? (tool.truncated ? cutResult(tool) : null);
  return {
    icon: ICONS[tool.name] ?? (readMcpName(tool.name) ? "plug" : "gear"),
    name: shownName(tool),
    what: whatOf(tool, given, result),
    caption: typeof given?.caption === "string" ? given.caption : "",
    arguments: given,
    output: result && typeof result.output === "string" ? result.output : null,
    exitCode: result && Number.isInteger(result.exit_code) ? result.exit_code : null,
    error: failure(tool, result),
    code: typeof result?.code === "string" ? result.code : "",
    nearest: Array.isArray(result?.nearest) ? result.nearest : [],
    taskIds: startedTasks(tool, given, result),
    plan: planOf(tool, result),
  };
}

// `turn` is the turn of the call: a call without a result was interrupted when its turn ended.
export function callState({ tool, created_at }, call, tasks, isAsking, turn = {}) {
  if (isAsking) return { kind: "needs", words: "needs you" };
  if (tool.status === "running") return { kind: "live", since: created_at };
  if (tool.status === "interrupted") return cutOff(turn);
  if (tasks.length === 1) return taskState(tasks[0]);
  if (tasks.length) return groupState(tasks);
  const seconds = tool.seconds === null || tool.seconds === undefined ? "" : exactDuration(tool.seconds);
  if (call.error) return failureState({ code: call.code, seconds });
  if (call.plan) return planState(call.plan);
  // A command that exits with 3 has not failed as a call.
  const words = [call.exitCode ? `exit code ${call.exitCode}` : "", foundNothing(tool), seconds].filter(Boolean).join(" · ");
  return { kind: call.exitCode ? "fail" : "ok", words: words || "done" };
}

function cutOff({ status }) {
  return status === "failed" ? failureState({ code: "interrupted" }) : { kind: "off", icon: "stop", words: "stopped" };
}

// Older results have no `error` field: the first line of the result is the error.
function failure(tool, result) {
  const sentence = typeof result?.error === "string" ? result.error : "";
  return sentence || (tool.is_error && tool.status === "done" ? String(tool.result ?? "").split("\n", 1)[0] : "");
}

function cutResult({ result, is_error: isError }) {
  return (isError && readCutFailure(result)) || readCutJson(result);
}

// A background call shows the state of its process.
function taskState(task) {
  const id = shortId(task.id);
  if (task.status === "running") return { kind: "live", id, since: task.started_at };
  if (task.status === "killed") return { kind: "off", icon: "stop", id, words: "stopped" };
  if (task.status === "lost") return { kind: "off", icon: "lost", id, words: "lost" };
  const isWell = endedWell(task);
  return { kind: isWell ? "ok" : "fail", id, words: codeWords(task) || (isWell ? "done" : "failed") };
}

function groupState(tasks) {
  const running = tasks.filter((task) => task.status === "running");
  if (running.length) return { kind: "live", words: `${running.length} of ${tasks.length} running` };
  const bad = tasks.filter((task) => task.status !== "exited").length;
  return bad
    ? { kind: "fail", words: `${bad} of ${tasks.length} failed` }
    : { kind: "ok", words: `${tasks.length} done` };
}

// "tickets · search" for a tool of an MCP server.
function shownName({ name }) {
  const mcp = readMcpName(name);
  return mcp ? `${mcp.server} · ${mcp.tool}` : name;
}

function foundNothing({ name, result }) {
  return name === "search_files" && result === "[No matches.]" ? "no matches" : "";
}

function whatOf(tool, given, result) {
  const plan = planOf(tool, result);
  if (plan) return planWhat(plan);
  // Which argument matters is known of our own tools only.
  if (given && readMcpName(tool.name)) return Object.keys(given).length ? JSON.stringify(given) : "";
  return mainArgument(tool, given);
}

function mainArgument(tool, given) {
  if (!given) return typeof tool.arguments === "string" ? tool.arguments : "";
  const name = MAIN.find((one) => typeof given[one] === "string");
  if (tool.name === "process")
    return [given.action, given.session_id && shortId(given.session_id)].filter(Boolean).join(" ");
  if (name) return given[name];
  if (Array.isArray(given.tasks)) return given.tasks.map((task) => task.goal ?? task).join("; ");
  return Object.values(given).find((value) => typeof value === "string") ?? "";
}

function startedTasks(tool, given, result) {
  if (!result || !given?.background) return [];
  if (tool.name === "terminal") return typeof result.session_id === "string" ? [result.session_id] : [];
  return tool.name === "delegate_task" ? [...new Set(tool.result.match(TASK_ID) ?? [])] : [];
}

function asObject(value) {
  if (value && typeof value === "object") return value;
  if (typeof value !== "string" || !value.startsWith("{")) return null;
  try {
    return JSON.parse(value);
  } catch {
    // Cut in the middle, or plain text: shown as it is.
    return null;
  }
}
