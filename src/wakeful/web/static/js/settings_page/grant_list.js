// What agents may do without asking, because a person allowed it, and what their commands cannot see.

import { api } from "../api.js";
import { el, icon } from "../dom.js";
import { me } from "../me.js";
import { day } from "./days.js";
import { entriesSection } from "./entries.js";

export function grantList() {
  const section = entriesSection({
    id: "permissions",
    name: "Allowed without asking",
    hint: "Each applies to one kind of danger. After you revoke it, the next call asks again.",
    empty: "Nothing. Every dangerous call asks first.",
    load: async () => (await api.get("/api/grants")).grants.map(entry),
  });
  section.append(sandboxPart());
  return section;
}

function sandboxPart() {
  const isThere = me.sandbox === "bwrap";
  const words = isThere
    ? "Commands run in a sandbox (bubblewrap). They see your files, but not Wakeful’s key, database or process. The network is open; sudo does not work inside."
    : "No sandbox. A command can read Wakeful’s key, and so answer its own questions; only what names it is asked about. wakeful doctor says why, and what to do.";
  const sign = el("span", { class: `state state--${isThere ? "ok" : "off"}` }, icon(isThere ? "ok" : "warn"));
  return el("div", { class: "sub" }, el("div", { class: "sub__head" }, el("h3", { text: "Sandbox" })), el("p", { class: "sandbox" }, sign, el("span", { text: words })));
}

function entry(grant) {
  const words = grant.words || grant.kind.replaceAll("_", " ");
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return {
    icon: "shield",
    title,
    note: [...scopeNote(grant), ` · since ${day(grant.created_at)}, ${end(grant)} · `, ...use(grant)],
    act: { words: "Revoke", label: `Revoke: ${title}`, done: `Revoked: ${title}.`, run: () => api.delete("/api/grants", { id: grant.id }) },
  };
}

function scopeNote({ scope, folder, key, session_id: id, session_title: title }) {
  const chat = key ? [" for the chat ", el("code", { text: key })] : [];
  if (scope === "folder") return [el("code", { text: folder }), " and below", ...chat];
  return ["session ", el("a", { href: `/s/${id}`, text: title || "New session" })];
}

function end({ expires_at }) {
  return expires_at ? `until ${day(expires_at)}` : "as long as the session exists";
}

// `example` is the command for which the person was asked.
function use({ uses, example }) {
  const times = uses === 1 ? "used once" : uses ? `used ${uses} times` : "never used";
  return example ? ["given for ", el("code", { text: example }), `, ${times}`] : [times];
}
