// Which model answers: a list of the catalogue, with a filter when it is long.

import { api } from "../api.js";
import { emit, on } from "../bus.js";
import { el, icon } from "../dom.js";
import { me } from "../me.js";
import { placeAt } from "../popup.js";
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
    name.textContent = shortName(currentModel()) || "model";
    button.setAttribute("aria-label", `Model: ${currentModel() || "the default"}`);
    // A session that is not begun has no model to change.
    button.disabled = !openSession.session;
  };
  button.addEventListener("click", () => openPicker(button));
  on("session-changed", show);
  on("me", show);
  on("change-model", () => openPicker(button));
  show();
  return button;
}

export function currentModel() {
  return openSession.session?.model || me.model;
}

async function openPicker(button) {
  let listed;
  try {
    listed = (await api.get("/api/models")).models;
  } catch (error) {
    emit("toast", { kind: "fail", title: "The models are not known", text: error.message });
    return;
  }
  const choose = (id) => {
    close();
    change(id);
  };
  const list = modelList(listed, currentModel(), choose, listed.length >= FILTER_FROM);
  const close = placeAt(button, list.element, { focus: list.first });
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

export function shortName(id) {
  return (id ?? "").slice((id ?? "").indexOf(":") + 1);
}
