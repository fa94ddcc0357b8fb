// The fields of a schedule: what the reader can fill in, and what the server refuses.

import { el } from "../dom.js";
import { duration } from "../format.js";
import { me } from "../me.js";
import { Field, offer, select } from "./fields.js";
import { ownZone } from "./times.js";

const LATE = [
  ["0", "leave it out"],
  ["3600", "run it late, up to 1 hour"],
  ["21600", "run it late, up to 6 hours"],
  ["86400", "run it late, up to 1 day"],
];
const EXAMPLES = ["every 6h", "in 2h", "at 2027-01-31T09:00:00Z", "@daily"];
const CODE = { spellcheck: "false", autocapitalize: "off" };

export class JobFields {
  #chats = el("datalist", { id: "schedule-chats" });
  #models = select([["", "as everywhere"]]);
  #late = select([["", "as the server is set"], ...LATE]);
  #continues = el("input", { type: "checkbox", class: "switch", role: "switch", "aria-describedby": "schedule-fresh-hint" });
  #continuesHint = el("span", { class: "field__hint", id: "schedule-fresh-hint" });
  #fields = new Map(this.#make().map(([name, ...rest]) => [name, new Field(name, ...rest)]));

  // The elements in the order of the page; `preview` goes below the schedule and its zone.
  elements(preview) {
    const at = (name) => this.#fields.get(name).element;
    return [at("prompt"), at("schedule"), at("timezone"), preview, at("name"), at("model"), at("deliver"), this.#chats, this.#memory(), at("catch_up_seconds")];
  }

  get values() {
    return { ...Object.fromEntries([...this.#fields].map(([name, field]) => [name, field.value])), fresh: !this.#continues.checked };
  }

  set values(values) {
    for (const [name, field] of this.#fields) field.value = values[name];
    this.#continues.checked = !values.fresh;
  }

  // `isSaved`: such a schedule has a time of its own for being late.
  offer({ models, platforms, chats }, isSaved) {
    if (isSaved) this.#late.querySelector('[value=""]')?.remove();
    for (const id of models) offer(this.#models, id, id);
    this.#models.options[0].textContent = me.model ? `as everywhere (${me.model})` : "as everywhere";
    this.#chats.replaceChildren(...chats.map(({ target, name }) => el("option", { value: target, label: name })));
    this.#explainTarget(platforms);
  }

  // Shows what follows from the values.
  look() {
    const hasChat = this.values.deliver !== "";
    this.#continues.disabled = !hasChat;
    this.#continuesHint.textContent = hasChat ? "Off: each run begins a new session with the same chat." : "Without a chat, each run begins a new session.";
  }

  // Shows why a field is wrong, and takes older refusals away from the fields of these names, or from all.
  refuse(refused, names = [...this.#fields.keys()]) {
    for (const name of names) this.#fields.get(name).refuse(refused?.field === name ? refused.words : "");
  }

  focus(name) {
    this.#fields.get(name).focus();
  }

  has(name) {
    return this.#fields.has(name);
  }

  #make() {
    const zones = [...new Set(["UTC", ownZone(), ...Intl.supportedValuesOf("timeZone")])].toSorted();
    const examples = EXAMPLES.flatMap((text) => [el("code", { text }), ", "]);
    return [
      ["prompt", "What to ask", el("textarea", { class: "textarea", rows: 3, required: true }), { isWide: true }],
      ["schedule", "When", el("input", { class: "input mono", required: true, maxlength: 200, ...CODE }), { hint: [...examples, "or five cron fields"] }],
      ["timezone", "Time zone", select(zones.map((zone) => [zone, zone]))],
      ["name", "Name", el("input", { class: "input", maxlength: 100 }), { hint: ["for the list, and for ", el("code", { text: "wakeful cron" })] }],
      ["model", "Model", this.#models],
      ["deliver", "Answer goes to", el("input", { class: "input", list: "schedule-chats", placeholder: "a new session here", maxlength: 300, ...CODE })],
      ["catch_up_seconds", "If the server was off at that time", this.#late, { nameOption: (seconds) => `run it late, up to ${duration(seconds)}` }],
    ];
  }

  #memory() {
    const check = el("label", { class: "check" }, this.#continues, "Goes on in the chat’s session");
    return el("div", { class: "field" }, el("span", { class: "field__label", text: "Memory of earlier runs" }), check, this.#continuesHint);
  }

  #explainTarget(platforms) {
    const field = this.#fields.get("deliver");
    // A target that is there can be taken away.
    field.allow(platforms.length > 0 || field.value !== "");
    if (!me.is_operator) field.explain("Only the operator may send answers to a chat.");
    else if (!platforms.length) field.explain("No messenger is set up on this server.");
    else field.explain("empty, or a chat: ", el("code", { text: `${platforms[0]}:123456` }), ", with ", el("code", { text: ":thread" }), " after it for a thread");
  }
}
