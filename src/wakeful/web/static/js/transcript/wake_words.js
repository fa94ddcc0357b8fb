// A notice in words: what ended, how, after how long, and how the agent was told.

import { count, duration } from "../format.js";
import { shortId } from "../short_id.js";

const VERBS = { watch_match: "matched", delegation_wakeup: "reported" };
const HOW = { opened: "Opened this turn", with_message: "Came with your message", joined: "Joined between two steps" };

export function wakeTitle({ source, notice }) {
  const verb = notice.status === "lost" ? "was lost" : (VERBS[source] ?? "ended");
  return { id: shortId(notice.task_id), verb };
}

// Of several that came together.
export function groupTitle(messages) {
  const kinds = new Set(messages.map((message) => message.source));
  if (kinds.size > 1) return `${messages.length} notices came`;
  if (kinds.has("delegation_wakeup")) return `${messages.length} sub-agents reported`;
  if (kinds.has("watch_match")) return `${messages.length} lines matched`;
  return `${messages.length} processes ended`;
}

export function wakeState({ source, notice }, isShort = false) {
  if (source === "watch_match" && notice.status === "running") return { kind: "live", words: "still running" };
  if (notice.status === "lost") return { kind: "off", icon: "lost", words: "no exit code" };
  if (notice.status === "killed") return { kind: "off", icon: "stop", words: "stopped" };
  if (source === "delegation_wakeup")
    return notice.status === "exited" ? { kind: "ok", words: "done" } : { kind: "fail", words: "failed" };
  const kind = notice.exit_code === 0 ? "ok" : "fail";
  return { kind, words: `${isShort ? "exit" : "exit code"} ${notice.exit_code}` };
}

export function wakeWhen({ source, notice }) {
  return source === "watch_match" || !notice.seconds ? "" : `after ${duration(notice.seconds)}`;
}

// The milliseconds are of interest only where they are few.
export function wakeHow({ notice }) {
  const how = HOW[notice.delivered] ?? "";
  const isQuick = notice.delivered === "opened" && Number.isFinite(notice.latency_ms) && notice.latency_ms < 10_000;
  return isQuick ? `${how} in ${Math.max(1, notice.latency_ms)} ms` : how;
}

// The output that the agent was shown. Older notices have it only in the text that the agent read.
export function wakeOutput({ content, notice }) {
  if (typeof notice.output === "string") return notice.output;
  const at = /\n(?:Output|Matched output|Result):\n/.exec(content ?? "");
  return at ? content.slice(at.index + at[0].length).replace(/\](?:\n\[Between [^\n]*\])?$/, "") : "";
}

// The last line says most.
export function lastLine(output) {
  // What a terminal would not show is not in the preview either.
  const plain = output.replace(/\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g, "");
  return plain
    .trimEnd()
    .split(/[\r\n]/)
    .at(-1)
    .trim();
}

export function outputSize(message, output) {
  if (message.source === "watch_match") return count(output.trimEnd().split("\n").length, "line");
  const size = count(output.length, "character");
  if (message.source === "delegation_wakeup") return `report, ${size}`;
  return message.notice.cut ? `last ${size}` : size;
}
