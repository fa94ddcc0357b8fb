// Logs this browser out.

import { api } from "../api.js";
import { emit } from "../bus.js";

export async function leave() {
  try {
    await api.post("/api/logout", {});
    forgetUnsentText();
    location.replace("/login");
  } catch (error) {
    emit("toast", { kind: "fail", title: "Not logged out", text: error.message });
  }
}

// The next person at this browser must neither see nor send unsent text. Settings may stay.
function forgetUnsentText() {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("wakeful.draft.") || key === "wakeful.outbox") localStorage.removeItem(key);
  }
}
