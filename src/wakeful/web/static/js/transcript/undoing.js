// Takes back what a call has changed, and shows on its card what could not be.

import { api } from "../api.js";
import { emit } from "../bus.js";
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

function settle(message, isUndone, notUndone) {
  const changes = message.tool.changes.map((change) => ({ ...change, undone: change.undone || isUndone }));
  touch(message).tool = { ...message.tool, changes, notUndone };
  emit("session-changed", ["messages"]);
}
