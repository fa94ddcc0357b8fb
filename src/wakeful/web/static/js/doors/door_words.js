// How a door is doing, and what a person can do about it. Sentences are lists of texts and of {code: text}.

import { clock, count, dayName } from "../format.js";

export const SIGNS = {
  connected: ["ok", "ok"],
  connecting: ["off", "clock"],
  retrying: ["off", "clock"],
  refused: ["fail", "fail"],
  off: ["off", "unplug"],
};

// "09:12" today, else "Thursday 09:12"
export function when(text, now = new Date()) {
  const date = new Date(text);
  const day = dayName(date, now);
  return day === "Today" ? clock(date) : `${day} ${clock(date)}`;
}

// `door` as the server has it, of this platform; null when it is not set up.
export function doorWords(platform, door, now = new Date()) {
  if (!door) return notSetUp(platform);
  const at = when(door.since, now);
  if (door.state === "connected") return [`Connected since ${at}`];
  if (door.state === "connecting") return [`Connecting since ${at}`];
  const why = sentence(door.error);
  if (door.state === "retrying") {
    return [`No connection since ${at}: ${why} It is tried again once a minute or more often. `, ...guideWords(platform)];
  }
  return [`Refused since ${at}. ${why} Then restart the server; the old token is tried again every 10 minutes. `, ...guideWords(platform)];
}

// "3 people paired · 2 posts wait · 1 post refused"
export function doorCounts(door, people) {
  const { waiting, unknown, refused } = door;
  return [
    people && `${people === 1 ? "1 person" : `${people} people`} paired`,
    waiting && `${count(waiting, "post")} ${waiting === 1 ? "waits" : "wait"}`,
    unknown && `${count(unknown, "post")} whose arrival is unknown`,
    refused && `${count(refused, "post")} refused`,
  ]
    .filter(Boolean)
    .join(" · ");
}

// The server's reasons mostly are sentences; those of a platform's library may not be.
export function sentence(words) {
  const text = words.trim() || "The reason is not known.";
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function notSetUp({ first, extra, settings, guide }) {
  const install = extra ? [", install ", { code: extra }] : [];
  const names = settings.flatMap((name, at) => [at ? " and " : "", { code: name }]).filter(Boolean);
  return ["Not set up. ", first, ...install, ", set ", ...names, " and restart the server. ", { code: guide }, " leads through it."];
}

function guideWords({ guide }) {
  return [{ code: guide }, " says more."];
}
