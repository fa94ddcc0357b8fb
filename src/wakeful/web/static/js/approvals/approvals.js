// Questions for the reader, docked above the message box until they are answered or expire.

import { emit, on } from "../bus.js";
import { serverNow } from "../server_clock.js";
import { openSession } from "../session/state.js";
import { closeApproval } from "../session/session_frames.js";
import { Keyed } from "../transcript/keyed.js";
import { ApprovalCard } from "./card.js";

const CHECK_MS = 1_000;

export function startApprovals(element) {
  const cards = new Keyed(element);
  const announced = new Set();
  const draw = () => {
    const { approvals } = openSession;
    cards.show(
      approvals.map((approval, index) => ({ key: approval.call_id, approval, position: positionOf(index, approvals) })),
      () => new ApprovalCard(),
    );
    for (const approval of approvals) announce(approval, announced);
  };
  on("session-opened", draw);
  on("session-changed", (changed) => changed.includes("approvals") && draw());
  setInterval(closeExpired, CHECK_MS);
}

function positionOf(index, { length }) {
  return length > 1 ? `${index + 1} of ${length}` : "";
}

// Announces each question once, as an alert.
function announce(approval, announced) {
  if (announced.has(approval.call_id)) return;
  announced.add(approval.call_id);
  emit("alert", `Needs you: ${approval.command}. ${approval.reason}`);
}

// The server reports when a question expires; while the connection is down, the clock decides.
function closeExpired() {
  const expired = openSession.approvals.filter((approval) => new Date(approval.expires_at) <= serverNow());
  for (const { call_id } of expired) closeApproval(openSession, call_id, "expired");
  if (expired.length) emit("session-changed", ["approvals", "messages"]);
}
