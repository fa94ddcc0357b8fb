// The runs of a schedule, the newest first, with links to the turns that they opened.

import { emit } from "../bus.js";
import { el, icon } from "../dom.js";
import { duration } from "../format.js";
import { Section } from "../home/section.js";
import { followLink, openSessionById, sessionPath } from "../router.js";
import { RowView } from "../row_view.js";
import { serverNow } from "../server_clock.js";
import { tick } from "../ticker.js";
import { missedWords, runEntries, runNote, runSign, runTime, runTitle } from "./run_words.js";

export class RunList {
  #section = new Section("h-runs", "Runs", { make: () => new RowView(parts, el("li", { class: "row" })) });

  get element() {
    return this.#section.element;
  }

  // `most` is how many the server was asked for.
  update(runs, most) {
    // Times are written as of today.
    const today = new Date(serverNow()).toDateString();
    const entries = runEntries(runs).map((entry) => ({ ...entry, today }));
    this.#section.show(entries, { note: runs.length === most ? `the newest ${most}` : "" });
  }
}

function parts({ run, ...entry }) {
  const now = new Date(serverNow());
  if (!run) {
    const { title, note, time } = missedWords(entry, now);
    return [sign("off", "stop"), rowTitle(title), rowNote(note), el("span", { class: "row__side num", text: time })];
  }
  const time = el("time", { class: "num", datetime: run.started_at ?? run.fire_at, text: runTime(run, now) });
  const title = rowTitle(runTitle(run));
  if (run.status === "running" && run.started_at) tick(title, run.started_at, (seconds) => `Running for ${duration(seconds)}`);
  return [sign(...runSign(run)), title, rowNote(runNote(run, now)), el("span", { class: "row__side" }, time, run.session_id && link(run))];
}

function sign(kind, name) {
  return el("span", { class: `state state--${kind}` }, name ? icon(name) : el("span", { class: "ring" }));
}

function rowTitle(text) {
  return el("p", { class: "row__title row__title--wrap", text });
}

function rowNote(text) {
  return text && el("p", { class: "row__note row__note--wrap", text });
}

function link({ session_id: session, turn_id: turn, fire_at: at }) {
  const open = () => {
    openSessionById(session);
    emit("reveal-soon", { turn });
  };
  const label = `Open the run of ${new Date(at).toLocaleString()}`;
  return el("a", { class: "button button--quiet button--small", href: sessionPath(session), "aria-label": label, onclick: (event) => followLink(event, open), text: "Open" });
}
