// News in words: what happened, then in which session.

import { count } from "../format.js";
import { endedWell, endLine } from "../words.js";

const MOST_COMMAND = 60;

// {kind, command, words, text}: `kind` is that of the toast, and its title is the command and the words, or the words
// alone when there is no command.
export function newsWords(news) {
  const where = `in ${news.title || "a new session"}`;
  return { command: "", text: where, ...SAY[news.kind](news, where) };
}

// The title as plain text.
export function newsTitle({ command, words }) {
  return command ? `${command} ${words}` : words;
}

const SAY = {
  process_complete: (news) => ({
    kind: endedWell(news) ? "wake" : "fail",
    command: shortCommand(news.command),
    words: endLine(news),
  }),
  delegation_complete: (news, where) => {
    const isWell = endedWell(news);
    const words = isWell ? "Sub-agent reported" : "Sub-agent failed";
    return { kind: isWell ? "wake" : "fail", words, text: `“${shortCommand(news.command)}” ${where}` };
  },
  // A match does not end the job.
  watch_match: (news) => ({
    kind: "wake",
    command: shortCommand(news.command),
    words: `printed “${news.pattern}”`,
  }),
  approval_required: (news) => ({
    kind: "info",
    command: shortCommand(news.command),
    words: "waits for your answer",
  }),
  approval_expired: (news) => ({
    kind: "info",
    command: shortCommand(news.command),
    words: "was denied, nobody answered",
  }),
  turn_failed: (news, where) => ({ kind: "fail", words: `A turn failed ${where}`, text: news.outcome }),
};

// One line for more news than can be read at once.
export function manyWords(all) {
  const asking = all.filter((news) => news.kind === "approval_required").length;
  const failed = all.filter((news) => newsWords(news).kind === "fail").length;
  const expired = all.filter((news) => news.kind === "approval_expired").length;
  const jobs = all.length - asking - expired;
  const parts = [];
  if (failed) parts.push(`${failed} failed`);
  if (expired) parts.push(expired === 1 ? "1 question expired" : `${expired} questions expired`);
  if (asking) parts.push(asking === 1 ? "1 question waits for you" : `${asking} questions wait for you`);
  const title = jobs ? `${count(jobs, "job")} reported` : parts.pop();
  return { kind: failed ? "fail" : asking ? "info" : "wake", words: title, command: "", text: parts.join(", ") };
}

// The first line of a command, shortened.
export function shortCommand(command) {
  const [first, ...more] = command.trim().split("\n");
  if (first.length > MOST_COMMAND) return `${first.slice(0, MOST_COMMAND - 2).trimEnd()} …`;
  return more.length ? `${first} …` : first;
}
