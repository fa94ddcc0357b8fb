// The button that picks the session's model from a list, with a filter when the list is long.

import { api } from "../api.js";
import { emit, on } from "../bus.js";
import { el, icon } from "../dom.js";
import { me } from "../me.js";
import { modelName } from "../model_names.js";
import { openPopup } from "../popup.js";
import { openSession } from "../session/state.js";
import { modelList } from "./model_list.js";

const FILTER_FROM = 8;

export function modelButton() {
  const name = el("span");
  const button = el(
    "button",
    { class: "model", type: "button", "aria-haspopup": "listbox", "aria-expanded": "false" },
    name,
    icon("down"),
  );
  const show = () => {
    name.textContent = modelName(currentModel()) || "model";
    button.setAttribute("aria-label", `Model: ${currentModel() || "the default"}`);
    // Before its first message a session has no model to change.
    button.disabled = !openSession.session;
  };
  button.addEventListener("click", () => openPicker(button));
  on("session-changed", show);
  on("me", show);
  on("change-model", () => openPicker(button));
  show();
  return button;
}

function currentModel() {
  return openSession.session?.model || me.model;
}

async function openPicker(button) {
  let listed;
  try {
    listed = (await api.get("/api/models")).models;
  } catch (error) {
    emit("toast", { kind: "fail", title: "The models were not loaded", text: error.message });
    return;
  }
  const choose = (id) => {
    close();
    change(id);
  };
  const list = modelList(listed, currentModel(), choose, listed.length >= FILTER_FROM);
  const close = openPopup(button, list.element, { focus: list.first });
}

async function change(id) {
  if (id === currentModel()) return;
  try {
    await api.patch("/api/session", { session_id: openSession.id, model: id });
    openSession.session.model = id;
    emit("session-changed", ["session"]);
  } catch (error) {
    emit("toast", { kind: "fail", title: "The model was not changed", text: error.message });
  }
}
