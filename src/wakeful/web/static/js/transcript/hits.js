// What a search of earlier sessions has found: each hit leads to its session.

import { el } from "../dom.js";
import { shortTime } from "../format.js";
import { followLink, openSessionById, sessionPath } from "../router.js";

// The hits of a call of session_search; null for other calls, and where it found nothing. `fetchAll` gets a result that
// the session has only in part.
export function foundSessions({ name, result, truncated, is_error: hasFailed }, fetchAll) {
  if (name !== "session_search" || hasFailed) return null;
  const list = el("ul", { class: "hits", role: "list" });
  if (truncated) fetchAll().then((whole) => list.append(...hitsIn(whole)), (error) => list.replaceWith(el("p", { class: "dim", text: error.message })));
  else list.append(...hitsIn(result));
  return truncated || list.childElementCount ? list : null;
}

function hitsIn(result) {
  try {
    return JSON.parse(result).results.map(hit);
  } catch {
    // Too long for the model, and so cut in its middle.
    return [];
  }
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
