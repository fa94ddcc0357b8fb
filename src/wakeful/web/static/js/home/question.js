// A question of any session, with the card that the session itself shows.

import { ApprovalCard } from "../approvals/card.js";
import { el } from "../dom.js";
import { followLink, openSessionById, sessionPath } from "../router.js";

export function questionView() {
  const card = new ApprovalCard();
  const link = el("a");
  const from = el("p", { class: "question__from" }, link);
  return {
    element: el("li", { class: "question" }, from, card.element),
    update({ approval, title }) {
      link.textContent = title;
      link.href = sessionPath(approval.session_id);
      link.onclick = (event) => followLink(event, () => openSessionById(approval.session_id));
      card.update({ approval });
    },
  };
}

// The question that expires first comes first.
export function questionEntries({ approvals }) {
  const open = approvals.toSorted((one, other) => one.expires_at.localeCompare(other.expires_at));
  return open.map((approval) => ({
    key: `${approval.session_id} ${approval.call_id}`,
    approval,
    title: approval.session_title || "New session",
  }));
}
