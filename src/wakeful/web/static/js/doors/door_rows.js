// The rows of doors: the messaging platforms, set up or not, and the hooks.

import { copyText } from "../clipboard.js";
import { el, icon, iconButton } from "../dom.js";
import { followLink, openSessionById, sessionPath } from "../router.js";
import { doorCounts, doorWords, SIGNS, when } from "./door_words.js";
import { PLATFORMS } from "./platforms.js";
import { nodes } from "./sub_list.js";

const SIGNATURES = { standard: "Standard Webhooks", github: "GitHub" };

export function doorEntries({ platforms, pairings, hooks }) {
  const doors = PLATFORMS.map((platform) => {
    const door = platforms.find((one) => one.name === platform.name) ?? null;
    const people = pairings.filter((pairing) => pairing.paired && pairing.platform === platform.name).length;
    return { key: platform.name, platform, door, people };
  });
  return [...doors, ...hooks.map((hook) => ({ key: `hook ${hook.name}`, hook }))];
}

export function doorRow(entry) {
  return entry.hook ? hookParts(entry.hook) : doorParts(entry);
}

function doorParts({ platform, door, people }) {
  const [kind, name] = SIGNS[door?.state ?? "off"];
  const counts = door && doorCounts(door, people);
  // After whole sentences they stand in a line of their own.
  const isShort = door?.state === "connected" || door?.state === "connecting";
  return [
    el("span", { class: `state state--${kind}` }, icon(name)),
    el("p", { class: "row__title row__title--wrap" }, `${platform.title} `, door && el("span", { class: "dim", text: door.bot })),
    el("p", { class: "row__note row__note--wrap" }, nodes(doorWords(platform, door)), isShort && counts && ` · ${counts}`),
    !isShort && counts && el("p", { class: "row__note row__note--wrap", text: counts }),
  ];
}

function hookParts(hook) {
  const address = new URL(hook.url, location.origin).href;
  return [
    icon("hook"),
    el("p", { class: "row__title row__title--wrap" }, "Hook ", el("b", { text: hook.name })),
    el("p", { class: "row__note row__note--wrap" }, `${SIGNATURES[hook.signature]} · `, el("code", { text: address }), hookPlace(hook)),
    el("span", { class: "row__side" }, iconButton("copy", `Copy the address of ${hook.name}`, () => copyText(address), "button--small")),
  ];
}

// The server remembers deliveries for a week.
function hookPlace({ last_at: at, session_id: id, deliver }) {
  const call = at ? `last call ${when(at)}` : "no call in the last week";
  const parts = [` · ${call}`, deliver && ` · speaks in ${deliver}`];
  return [...parts, id && " · ", id && sessionLink(id)].filter(Boolean);
}

export function sessionLink(id) {
  const open = (event) => followLink(event, () => openSessionById(id));
  return el("a", { href: sessionPath(id), text: "open its session", onclick: open });
}
