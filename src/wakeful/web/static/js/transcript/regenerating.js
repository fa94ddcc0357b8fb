// Asks for another answer to the last message.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { el, icon, iconButton } from "../dom.js";
import { openSession } from "../session/state.js";

export function regenerateIcon() {
  return iconButton("again", "Regenerate", regenerate, "button--small");
}

export function regenerateButton(label, kind = "button button--quiet button--small") {
  return el("button", { class: kind, type: "button", onclick: regenerate }, icon("again"), label);
}

async function regenerate({ currentTarget: button }) {
  button.disabled = true;
  try {
    await api.post("/api/chat/regenerate", { session_id: openSession.id });
    emit("sent");
  } catch (error) {
    const words = error.code === "session_busy" ? "Another turn is running. Wait for it, or stop it." : error.message;
    emit("toast", { kind: "fail", title: "Not regenerated", text: words });
  } finally {
    button.disabled = false;
  }
}
