// The button that picks how much the agent may do without asking. Before its first message a session does not exist
// yet: what is picked then goes with that message.

import { api } from "../api.js";
import { emit, on } from "../bus.js";
import { el, icon } from "../dom.js";
import { me } from "../me.js";
import { openPopup, walkWithKeys } from "../popup.js";
import { openSession } from "../session/state.js";

const MODES = {
  read_only: { icon: "watch", name: "Read only", note: "Reads files, runs commands that only read. Changes nothing." },
  ask: { icon: "shield", name: "Ask first", note: "Asks before each edit and each command that does more than read." },
  accept_edits: {
    icon: "edit",
    name: "Accept edits",
    note: "Edits files in the folder and runs commands. Asks before anything dangerous.",
  },
  everything: { icon: "bolt", name: "Everything", note: "Asks only about Wakeful’s own files. For the operator alone." },
};

let forNew = null;

// The mode for the session that the next message makes; null: the server's default.
export function takeModeForNew() {
  const mode = forNew;
  forNew = null;
  return mode;
}

export function modeButton() {
  const sign = el("span", { class: "mode__icon" });
  const name = el("span");
  const button = el(
    "button",
    { class: "model mode", type: "button", "aria-haspopup": "menu", "aria-expanded": "false" },
    sign,
    name,
    icon("down"),
  );
  const show = () => {
    const mode = MODES[currentMode()] ?? MODES.accept_edits;
    sign.replaceChildren(icon(mode.icon));
    // The only mode that can surprise is the only one in colour.
    sign.classList.toggle("mode__icon--everything", mode === MODES.everything);
    name.textContent = mode.name;
    button.setAttribute("aria-label", `Permissions: ${mode.name}`);
    // A sub-agent has the mode of the session that it works for.
    button.disabled = Boolean(openSession.session?.parent);
  };
  button.addEventListener("click", () => openPicker(button));
  for (const event of ["session-changed", "session-opened", "me", "mode-for-new"]) on(event, show);
  show();
  return button;
}

function currentMode() {
  return openSession.session?.mode ?? forNew ?? me.mode;
}

function openPicker(button) {
  const choose = (mode) => {
    close();
    change(mode);
  };
  const entries = Object.keys(MODES).map((mode) => entry(mode, choose));
  const foot = el("p", { class: "menu__foot", text: "Holds from the next step on, also for sub-agents." });
  const menu = el("div", { class: "menu menu--floating menu--modes", role: "menu", "aria-label": "Permissions" }, entries, foot);
  menu.addEventListener("keydown", (event) => {
    walkWithKeys(event, entries);
    if (event.key === "Tab") close(false);
  });
  const close = openPopup(button, menu, { focus: () => entries.find((one) => one.ariaChecked === "true") ?? entries[0] });
}

function entry(mode, choose) {
  const { icon: sign, name, note } = MODES[mode];
  const isCurrent = mode === currentMode();
  const isAllowed = mode !== "everything" || me.is_operator;
  return el(
    "button",
    {
      class: "menu__item menu__item--two",
      type: "button",
      role: "menuitemradio",
      tabindex: -1,
      "aria-checked": String(isCurrent),
      "aria-disabled": isAllowed ? null : "true",
      onclick: () => isAllowed && choose(mode),
    },
    icon(sign),
    el("span", { text: name }),
    isCurrent ? icon("check") : el("span"),
    el("span", { class: "menu__note", text: note }),
  );
}

async function change(mode) {
  if (mode === currentMode()) return;
  if (!openSession.session) {
    forNew = mode;
    emit("mode-for-new");
    return;
  }
  try {
    await api.patch("/api/session", { session_id: openSession.id, mode });
    openSession.session.mode = mode;
    emit("session-changed", ["session"]);
  } catch (error) {
    emit("toast", { kind: "fail", title: "The permissions were not changed", text: error.message });
  }
}
