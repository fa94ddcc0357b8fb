// The browsers that are logged in: the person's own, or all of them for the operator.

import { api } from "../api.js";
import { me } from "../me.js";
import { day, lastTime } from "./days.js";
import { entriesSection } from "./entries.js";

export function loginList() {
  return entriesSection({
    id: "logins",
    name: "Logins",
    hint: me.is_operator ? "All browsers that are logged in to this server." : "The browsers that are logged in as you.",
    empty: "No browser is logged in.",
    load: async () => (await api.get("/api/logins")).logins.sort((a, b) => b.is_this - a.is_this).map(entry),
    more: {
      words: "Log out all others",
      done: "All other browsers are logged out.",
      run: () => api.delete("/api/logins", { others: true }),
    },
    isMore: (entries) => entries.filter(({ act }) => act).length > 1,
  });
}

// This browser has no button here: "Log out" is at the end of the settings.
function entry(login) {
  const name = login.browser || "Unknown browser";
  const facts = [login.is_this && name, login.name, login.address && `from ${login.address}`, `since ${day(login.created_at)}`, !login.is_this && `last seen ${lastTime(login.used_at)}`];
  return {
    icon: "person",
    title: login.is_this ? "This browser" : name,
    note: [facts.filter(Boolean).join(" · ")],
    act: login.is_this ? null : { words: "Log out", label: `Log out ${name} of ${login.name}`, done: `${name} is logged out.`, run: () => api.delete("/api/logins", { id: login.id }) },
  };
}
