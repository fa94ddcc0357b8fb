// What a search of earlier sessions has found: each hit leads to its session.

import { el } from "../dom.js";
import { shortTime } from "../format.js";
import { followLink, openSessionById, sessionPath } from "../router.js";

// The hits of a call of session_search; null for other calls, and where its result is cut or has none.
export function foundSessions({ name, result, truncated }) {
  if (name !== "session_search" || truncated) return null;
  try {
    const { results } = JSON.parse(result);
    return results?.length ? results : null;
  } catch {
    return null;
  }
}

export function hitList(hits) {
  return el("ul", { class: "hits", role: "list" }, hits.map(hit));
}

function hit({ session_id: id, title, excerpt, created_at: at }) {
  const open = (event) => followLink(event, () => openSessionById(id));
  return el(
    "li",
    {},
    el("a", { href: sessionPath(id), onclick: open, text: title || "New session" }),
    el("span", { class: "dim num", text: shortTime(new Date(at)) }),
    el("p", { class: "hits__text", dir: "auto", text: excerpt }),
  );
}
