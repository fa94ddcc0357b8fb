// Opens a new session that continues from a turn of this one.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { iconButton } from "../dom.js";
import { openSessionById } from "../router.js";
import { openSession } from "../session/state.js";

export function branchButton(turnId) {
  return iconButton("branch", "Branch from here", () => branch(turnId), "button--small");
}

async function branch(turnId) {
  try {
    const { session_id } = await api.post("/api/session/branch", { session_id: openSession.id, turn_id: turnId });
    openSessionById(session_id);
  } catch (error) {
    emit("toast", { kind: "fail", title: "Not branched", text: error.message });
  }
}
