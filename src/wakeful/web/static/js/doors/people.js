// Who may talk to the agent on the messaging platforms, and who would like to.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { el, icon } from "../dom.js";
import { duration } from "../format.js";
import { tick } from "../ticker.js";
import { when } from "./door_words.js";
import { platformTitle } from "./platforms.js";
import { actButton } from "./sub_list.js";

// How long a code is good.
const CODE_SECONDS = 3_600;

export function waitingEntries({ pairings }) {
  return entriesOf(pairings.filter((pairing) => !pairing.paired));
}

export function pairedEntries({ pairings }) {
  return entriesOf(pairings.filter((pairing) => pairing.paired));
}

// A person who would like to talk. Both answers have the same weight, as in other questions.
export function waitingParts({ pairing }, after) {
  const left = el("span", { class: "num" });
  tick(left, pairing.asked_at, (seconds) => duration(CODE_SECONDS - seconds));
  const name = nameOf(pairing);
  const letIn = () => api.post("/api/pairings", { code: pairing.code });
  const answers = [
    { words: "Keep out", label: `Keep ${name} out`, done: `${name} is kept out.`, run: () => remove(pairing), kind: "button--ink" },
    { words: "Let in", label: `Let ${name} in`, done: `${name} may talk now.`, run: letIn, kind: "button--ink" },
  ];
  return [
    el(
      "p",
      {},
      el("b", { text: name }),
      ` (${platformTitle(pairing.platform)}, ${pairing.user_id}) would like to talk to the agent, and was shown the code `,
      el("code", {}, el("b", { text: pairing.code })),
      ", good for ",
      left,
      ". Ask for it before you say yes.",
    ),
    el("span", { class: "pairing__acts" }, answers.map((answer) => actButton(answer, after))),
  ];
}

export function pairedParts({ pairing }, after) {
  const name = nameOf(pairing);
  const act = { words: "Remove", label: `Remove ${name}`, done: `${name} may not talk any more.`, run: () => remove(pairing), kind: "button--small" };
  return [
    icon("person"),
    el("p", { class: "row__title row__title--wrap", text: name }),
    el("p", { class: "row__note row__note--wrap", text: `${platformTitle(pairing.platform)} · ${pairing.user_id} · let in ${when(pairing.paired_at)}` }),
    el("span", { class: "row__side" }, actButton(act, after)),
  ];
}

// Takes the code that a person has told the operator.
export function codeForm(after) {
  const input = el("input", { class: "input pairing-code", id: "pairing-code", name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: 20, required: true, "aria-describedby": "pairing-answer" });
  const answer = el("p", { class: "field__hint", id: "pairing-answer", role: "status" });
  const submit = async (event) => {
    event.preventDefault();
    try {
      const pairing = await api.post("/api/pairings", { code: input.value.trim() });
      input.value = "";
      say(answer, `${nameOf(pairing)} may talk on ${platformTitle(pairing.platform)} now.`);
    } catch (error) {
      say(answer, error.message, true);
      input.select();
    }
    await after();
  };
  const label = el("label", { class: "field__label", for: "pairing-code", text: "A person has told you their code" });
  const row = el("div", { class: "field__row" }, input, el("button", { class: "button", type: "submit", text: "Let in" }));
  return el("form", { class: "field", onsubmit: submit, autocomplete: "off" }, label, row, answer);
}

// Tells screen readers of a person who has come since the last look.
export function announce(entries, known) {
  for (const { key, pairing } of entries) {
    if (!known.has(key)) emit("said", `${nameOf(pairing)} would like to talk on ${platformTitle(pairing.platform)}`);
  }
}

function entriesOf(pairings) {
  return pairings.map((pairing) => ({ key: `${pairing.platform}:${pairing.user_id}`, pairing }));
}

function nameOf({ name, user_id: id }) {
  return name || id;
}

function remove({ platform, user_id: id }) {
  return api.delete(`/api/pairings/${encodeURIComponent(`${platform}:${id}`)}`);
}

function say(element, words, isError = false) {
  element.className = isError ? "field__error" : "field__hint";
  element.textContent = words;
}
