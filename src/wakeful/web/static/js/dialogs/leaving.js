// Logging this browser out.

import { api } from "../api.js";
import { emit } from "../bus.js";

export async function leave() {
  try {
    await api.post("/api/logout", {});
    forgetWords();
    location.replace("/login");
  } catch (error) {
    emit("toast", { kind: "fail", title: "Not logged out", text: error.message });
  }
}

// The next person at this browser must neither see nor send what was not sent; what was chosen may stay.
function forgetWords() {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("wakeful.draft.") || key === "wakeful.outbox") localStorage.removeItem(key);
  }
}
