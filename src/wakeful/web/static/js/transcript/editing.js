// Edits a message in place. Sending it continues the conversation from there.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { draftOf, editOf, keepDraft } from "../composer/drafts.js";
import { el } from "../dom.js";
import { newId } from "../ids.js";
import { openSession } from "../session/state.js";

export function canEdit(message) {
  return message.role === "user" && message.source === "user";
}

// Whether the reader left the page while editing this message.
export function isBeingEdited(message) {
  return Boolean(draftOf(editOf(message.id)));
}

export function editInPlace(row, message, whenClosed, { takesFocus = true } = {}) {
  if (row.querySelector("textarea")) return;
  const shown = [...row.children];
  const box = el("textarea", { class: "textarea said__edit", rows: 2, "aria-label": "Edit message" });
  box.value = draftOf(editOf(message.id)) || message.content;
  box.addEventListener("input", () => keepDraft(editOf(message.id), box.value));
  const close = () => {
    keepDraft(editOf(message.id), "");
    editor.remove();
    for (const child of shown) child.classList.remove("is-away");
    whenClosed();
  };
  const key = newId("msg");
  const send = async () => {
    const text = box.value.trim();
    if (!text && !message.attachments.length) return;
    if (await sendEdited(message, text, key)) close();
  };
  const editor = el("div", { class: "editor" }, box, buttons(send, close));
  box.addEventListener("keydown", (event) => onKey(event, send, close));
  for (const child of shown) child.classList.add("is-away");
  row.append(editor);
  if (!takesFocus) return;
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
}

function buttons(send, close) {
  return el(
    "div",
    { class: "approval__acts" },
    el("button", {
      class: "button button--main button--small",
      type: "button",
      text: "Send as a branch",
      onclick: send,
    }),
    el("button", { class: "button button--quiet button--small", type: "button", text: "Cancel", onclick: close }),
    el("span", { class: "dim", text: "The conversation goes on from here." }),
  );
}

function onKey(event, send, close) {
  if (event.isComposing) return;
  if (event.key === "Escape") {
    event.preventDefault();
    event.stopPropagation();
    close();
  } else if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    send();
  }
}

async function sendEdited(message, text, key) {
  const attachments = message.attachments.map(({ id }) => id);
  const body = { session_id: openSession.id, message_id: message.id, message: text, client_message_id: key, attachments };
  try {
    await api.post("/api/chat/edit", body);
    emit("sent");
    return true;
  } catch (error) {
    const words = error.code === "session_busy" ? "Wait for the answer, or stop it, and send again." : error.message;
    emit("toast", { kind: "fail", title: "Not sent", text: words });
    return false;
  }
}
