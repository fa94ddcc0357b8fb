// Questions that wait for the reader, docked above the message box until they are answered or their time is over.

import { emit, on } from "../bus.js";
import { serverNow } from "../server_clock.js";
import { openSession } from "../session/state.js";
import { closeApproval } from "../session/session_frames.js";
import { Keyed } from "../transcript/keyed.js";
import { ApprovalCard } from "./card.js";

const LOOK_MS = 1_000;

export function startApprovals(element) {
  const cards = new Keyed(element);
  const told = new Set();
  const draw = () => {
    const { approvals } = openSession;
    cards.show(
      approvals.map((approval, index) => ({ key: approval.call_id, approval, place: placeOf(index, approvals) })),
      () => new ApprovalCard(),
    );
    for (const approval of approvals) announce(approval, told);
  };
  on("session-opened", draw);
  on("session-changed", (changed) => changed.includes("approvals") && draw());
  setInterval(closeLate, LOOK_MS);
}

function placeOf(index, { length }) {
  return length > 1 ? `${index + 1} of ${length}` : "";
}

// Once for each, and loudly.
function announce(approval, told) {
  if (told.has(approval.call_id)) return;
  told.add(approval.call_id);
  emit("alert", `Needs you: ${approval.command}. ${approval.reason}`);
}

// The server tells when the time of a question is over; while the line is down, the clock does.
function closeLate() {
  const late = openSession.approvals.filter((approval) => new Date(approval.expires_at) <= serverNow());
  for (const { call_id } of late) closeApproval(openSession, call_id, "expired");
  if (late.length) emit("session-changed", ["approvals", "messages"]);
}
