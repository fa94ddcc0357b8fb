// Takes back what a call or a whole turn has changed, and shows on the cards what could not be.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { count } from "../format.js";
import { touch } from "../session/messages.js";
import { openSession } from "../session/state.js";

export async function undo(message, force) {
  const { call_id } = message.tool;
  const asked = { session_id: openSession.id, turn_id: message.turn_id, call_id, force };
  try {
    const { undone, skipped } = await api.post("/api/session/undo", asked);
    settle(message, undone.length > 0, skipped[0]?.reason ?? null);
    if (undone.length)
      emit("toast", { title: `Undone: ${undone[0].path}`, text: "The agent learns of it with your next message." });
  } catch (error) {
    // It was tried before this page was opened: the reader may insist.
    if (error.code === "nothing_to_undo" && !force) settle(message, false, "changed_since");
    else emit("toast", { kind: "fail", title: "Not undone", text: error.message });
  }
}

// The calls of a turn whose changes are still there and can be taken back.
export function undoableCalls(messages) {
  return messages.filter(({ tool }) => !tool?.notUndone && tool?.changes?.some((change) => change.undoable && !change.undone));
}

export async function undoTurn(turnId, messages) {
  try {
    const { undone, skipped } = await api.post("/api/session/undo", { session_id: openSession.id, turn_id: turnId });
    const reasons = new Map(skipped.map(({ path, reason }) => [path, reason]));
    for (const message of undoableCalls(messages)) {
      const reason = message.tool.changes.map((change) => reasons.get(change.path)).find(Boolean) ?? null;
      settle(message, !reason, reason);
    }
    emit("toast", turnToast(undone, skipped));
  } catch (error) {
    emit("toast", { kind: "fail", title: "Not undone", text: error.message });
  }
}

function turnToast(undone, skipped) {
  const title = undone.length ? `Undone: ${count(undone.length, "file")}` : "Nothing was undone";
  const text = undone.length ? "The agent learns of it with your next message." : "";
  if (!skipped.length) return { title, text };
  return { kind: "fail", title, text: `Not undone: ${skipped.map(({ path }) => path).join(", ")}. The cards say why. ${text}`.trim() };
}

function settle(message, isUndone, notUndone) {
  const changes = message.tool.changes.map((change) => ({ ...change, undone: change.undone || isUndone }));
  touch(message).tool = { ...message.tool, changes, notUndone };
  emit("session-changed", ["messages"]);
}
