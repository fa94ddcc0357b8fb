// What a call is about and how it went, read from its name, arguments and result.

import { exactDuration } from "../format.js";
import { shortId } from "../short_id.js";
import { readCutJson } from "./cut_json.js";

const ICONS = {
  terminal: "terminal",
  process: "terminal",
  read_file: "file",
  list_files: "file",
  write_file: "edit",
  edit_file: "edit",
  delegate_task: "agent",
};
// The argument that says most, the first that is there.
const MAIN = ["command", "path", "goal", "query", "url", "session_id", "pattern", "name"];
const TASK_ID = /\b(?:proc|del)_[A-Za-z0-9]+/g;

// {icon, what, arguments, output, exitCode, error, taskIds}
export function readCall(tool) {
  const given = asObject(tool.arguments);
  const result = asObject(tool.result) ?? (tool.truncated ? readCutJson(tool.result) : null);
  return {
    icon: ICONS[tool.name] ?? "gear",
    what: mainArgument(tool, given),
    arguments: given,
    output: result && typeof result.output === "string" ? result.output : null,
    exitCode: result && Number.isInteger(result.exit_code) ? result.exit_code : null,
    error: typeof result?.error === "string" ? result.error : "",
    taskIds: startedTasks(tool, given, result),
  };
}

export function callState({ tool, created_at }, call, tasks, isAsking) {
  if (isAsking) return { kind: "needs", words: "needs you" };
  if (tool.status === "running") return { kind: "live", since: created_at };
  if (tool.status === "interrupted") return { kind: "off", icon: "stop", words: "stopped" };
  if (tasks.length === 1) return taskState(tasks[0]);
  if (tasks.length) return groupState(tasks);
  const time = tool.seconds === null || tool.seconds === undefined ? "" : exactDuration(tool.seconds);
  const isBad = Boolean(call.error) || Boolean(call.exitCode);
  const words = [outcome(call, isBad), time].filter(Boolean).join(" · ");
  return { kind: isBad ? "fail" : "ok", words: words || "done" };
}

// A negative code is ours: the command never ran.
function outcome({ exitCode }, isBad) {
  if (exitCode < 0) return "refused";
  return exitCode ? `exit ${exitCode}` : isBad ? "failed" : "";
}

// A background call keeps showing its process.
function taskState(task) {
  const id = shortId(task.id);
  if (task.status === "running") return { kind: "live", id, since: task.started_at };
  if (task.status === "killed") return { kind: "off", icon: "stop", id, words: "stopped" };
  if (task.status === "lost") return { kind: "off", icon: "lost", id, words: "lost" };
  const words = task.exit_code === null ? task.status : `exit ${task.exit_code}`;
  if (task.kind === "delegation")
    return { kind: task.status === "exited" ? "ok" : "fail", id, words: task.status === "exited" ? "done" : "failed" };
  return { kind: task.status === "exited" ? "ok" : "fail", id, words };
}

function groupState(tasks) {
  const running = tasks.filter((task) => task.status === "running");
  if (running.length) return { kind: "live", words: `${running.length} of ${tasks.length} running` };
  const bad = tasks.filter((task) => task.status !== "exited").length;
  return bad
    ? { kind: "fail", words: `${bad} of ${tasks.length} failed` }
    : { kind: "ok", words: `${tasks.length} done` };
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
    // Half of a long one, or plain text: shown as it is.
    return null;
  }
}
