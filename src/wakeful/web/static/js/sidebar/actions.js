// Actions on a session: rename, pin, archive, delete with undo.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { currentSessionId, openHome, openSessionById } from "../router.js";
import { me } from "../me.js";

export function rename(row, title) {
  return change(row, { title });
}

export function togglePin(row) {
  return change(row, { pinned: !row.pinned });
}

export async function toggleArchive(row) {
  const archived = !row.archived;
  if (!(await change(row, { archived }))) return;
  emit("gone", { session_id: row.session_id });
  const undo = () => change(row, { archived: !archived }).then(() => emit("rows-refetch"));
  emit("toast", { title: archived ? "Session archived" : "Back in the list", text: row.title, action: "Undo", onAction: undo });
}

export async function deleteSession(row) {
  const wasOpen = currentSessionId() === row.session_id;
  try {
    await api.delete("/api/session", { session_id: row.session_id });
  } catch (error) {
    failed("Not deleted", error);
    return;
  }
  emit("gone", { session_id: row.session_id });
  if (wasOpen) openHome();
  const undo = async () => {
    try {
      await api.post("/api/session/restore", { session_id: row.session_id });
      emit("rows-refetch");
      if (wasOpen) openSessionById(row.session_id);
    } catch (error) {
      failed("Not restored", error);
    }
  };
  emit("toast", { title: "Session deleted", text: row.title, action: "Undo", onAction: undo, seconds: me.undo_seconds });
}

async function change(row, what) {
  try {
    await api.patch("/api/session", { session_id: row.session_id, ...what });
    emit("row", { ...row, ...what });
    return true;
  } catch (error) {
    failed("Not changed", error);
    return false;
  }
}

function failed(title, error) {
  emit("toast", { kind: "fail", title, text: error.message });
}
