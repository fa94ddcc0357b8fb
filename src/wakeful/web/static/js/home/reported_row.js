// What happened while the reader was away: the command and how it ended, then what the agent said about it.

import { el, icon } from "../dom.js";
import { shortTime } from "../format.js";
import { shortCommand } from "../news/news_words.js";
import { endedWell, endWords } from "../words.js";
import { plainWords, quote } from "./quote.js";
import { sessionLinkRow } from "./section.js";

export function reportedRow() {
  return sessionLinkRow(parts);
}

// A session may have several pieces of news, each in a row.
export function reportedEntries({ reported }) {
  return reported.map((news) => ({ ...news, key: String(news.news_id) }));
}

function parts(news) {
  return [
    sign(news),
    el("p", { class: "row__title" }, title(news)),
    el("p", { class: "row__note" }, note(news)),
    el("time", { class: "row__time", datetime: news.at, text: shortTime(new Date(news.at)) }),
    woke(news),
  ];
}

function sign(news) {
  const [kind, name] = signOf(news);
  return el("span", { class: `state state--${kind}` }, icon(name));
}

function signOf(news) {
  if (news.kind === "watch_match") return ["wake", "watch"];
  if (news.kind === "turn_failed") return ["fail", "fail"];
  if (news.kind === "approval_expired") return ["off", "clock"];
  if (news.status === "lost") return ["off", "lost"];
  return endedWell(news) ? ["ok", "ok"] : ["fail", "fail"];
}

function title(news) {
  const command = el("code", { text: shortCommand(news.command), title: news.command });
  if (news.kind === "watch_match") return [command, ` printed “${news.pattern}”`];
  if (news.kind === "approval_expired") return [command, " was denied, nobody answered"];
  if (news.kind === "turn_failed") return [`A turn failed: ${news.outcome}`];
  if (news.kind === "delegation_complete") return [endedWell(news) ? "Sub-agent reported: " : "Sub-agent failed: ", plainWords(news.command)];
  return [command, ` ${endWords(news)}`];
}

// The agent's answer matters most; until there is one, the printed line.
function note({ title: name, answer, line }) {
  const said = answer ? quote(answer) : line && el("code", { text: line });
  return said ? [`${name || "New session"}: `, said] : [name || "New session"];
}

function woke({ woke: turn, wakes, kind }) {
  if (turn?.delivered === "opened") return el("span", { class: "row__woke woke" }, icon("wake"), `woke turn ${turn.number}`);
  if (turn) return el("span", { class: "row__woke", text: `reported in turn ${turn.number}` });
  return !wakes && kind === "process_complete" && el("span", { class: "row__woke", text: "told nobody" });
}
