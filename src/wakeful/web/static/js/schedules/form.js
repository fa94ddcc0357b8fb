// The form of a schedule, for one that is made and for one that is changed. What the reader has changed stays until it
// is saved or discarded, whatever the server says meanwhile.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { el } from "../dom.js";
import { duration } from "../format.js";
import { me } from "../me.js";
import { Field, offer, select } from "./fields.js";
import { blankValues, changesOf, mergedValues, newJob, refusedField, valuesOf } from "./job_values.js";
import { Preview } from "./preview.js";
import { ownZone } from "./times.js";

const LATE = [
  ["0", "leave it out"],
  ["3600", "run it late, up to 1 hour"],
  ["21600", "run it late, up to 6 hours"],
  ["86400", "run it late, up to 1 day"],
];
const EXAMPLES = ["every 6h", "in 2h", "at 2027-01-31T09:00:00Z", "@daily"];

export class JobForm {
  // Null for a schedule that is not saved yet.
  #job = null;
  #kept = blankValues(ownZone());
  #isSaving = false;
  #onSaved;
  #onDiscard;
  #chats = el("datalist", { id: "schedule-chats" });
  #models = select([["", "as everywhere"]]);
  #late = select([["", "as the server is set"], ...LATE]);
  #fields;
  #continues = el("input", { type: "checkbox", class: "switch", role: "switch", id: "schedule-fresh", "aria-describedby": "schedule-fresh-hint" });
  #continuesHint = el("span", { class: "field__hint", id: "schedule-fresh-hint" });
  #preview = new Preview((refused) => this.#showRefused(refused, ["schedule", "timezone"]));
  #save = el("button", { class: "button button--main", type: "submit", text: "Save" });
  #discard = el("button", { class: "button button--quiet", type: "button", text: "Discard", onclick: () => this.#drop() });
  #state = el("span", { class: "dim", role: "status" });
  #failed = el("span", { class: "field__error", role: "alert" });

  // `onSaved(job)`; `onDiscard()` is called for a new schedule, which has nothing to go back to.
  constructor(onSaved, onDiscard) {
    this.#onSaved = onSaved;
    this.#onDiscard = onDiscard;
    this.#fields = this.#makeFields();
    this.element = el("form", { class: "section", autocomplete: "off", "aria-label": "Schedule", oninput: () => this.#look() }, this.#build());
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.#put(this.#kept);
  }

  // Takes what the server says of the job, except where the reader has changed it.
  update(job, { models, platforms, chats }) {
    this.#take(job, this.#kept);
    // A saved schedule has a time of its own.
    if (job) this.#late.querySelector('[value=""]')?.remove();
    for (const id of models) offer(this.#models, id, id);
    this.#models.options[0].textContent = me.model ? `as everywhere (${me.model})` : "as everywhere";
    this.#chats.replaceChildren(...chats.map(({ target, name }) => el("option", { value: target, label: name })));
    this.#explainTarget(platforms);
    this.#look();
  }

  // Puts values into the form that the reader has not saved.
  propose(values) {
    this.#put({ ...this.#kept, ...values });
    this.#look();
  }

  focus() {
    this.#fields.get(this.#job ? "name" : "prompt").focus();
  }

  get values() {
    return { ...Object.fromEntries([...this.#fields].map(([name, field]) => [name, field.value])), fresh: !this.#continues.checked };
  }

  #makeFields() {
    const zones = [...new Set(["UTC", ownZone(), ...Intl.supportedValuesOf("timeZone")])].toSorted();
    const examples = EXAMPLES.flatMap((text) => [el("code", { text }), ", "]);
    const fields = [
      ["prompt", "What to ask", el("textarea", { class: "textarea", rows: 3, required: true }), { isWide: true }],
      ["schedule", "When", el("input", { class: "input mono", required: true, maxlength: 200, spellcheck: "false", autocapitalize: "off" }), { hint: [...examples, "or five cron fields"] }],
      ["timezone", "Time zone", select(zones.map((zone) => [zone, zone]))],
      ["name", "Name", el("input", { class: "input", maxlength: 100 }), { hint: ["for the list, and for ", el("code", { text: "wakeful cron" })] }],
      ["model", "Model", this.#models],
      ["deliver", "Answer goes to", el("input", { class: "input", list: "schedule-chats", placeholder: "a new session here", maxlength: 300, spellcheck: "false", autocapitalize: "off" })],
      ["catch_up_seconds", "If the server was off at that time", this.#late, { nameOption: (seconds) => `run it late, up to ${duration(seconds)}` }],
    ];
    return new Map(fields.map(([name, ...rest]) => [name, new Field(name, ...rest)]));
  }

  #build() {
    const at = (name) => this.#fields.get(name).element;
    const memory = el("div", { class: "field" }, el("span", { class: "field__label", text: "Memory of earlier runs" }), el("label", { class: "check" }, this.#continues, "Goes on in the chat’s session"), this.#continuesHint);
    const foot = el("div", { class: "form__foot" }, this.#save, this.#discard, this.#state, this.#failed);
    return el("div", { class: "form" }, at("prompt"), at("schedule"), at("timezone"), this.#preview.element, at("name"), at("model"), at("deliver"), this.#chats, memory, at("catch_up_seconds"), foot);
  }

  #put(values) {
    for (const [name, field] of this.#fields) field.value = values[name];
    this.#continues.checked = !values.fresh;
  }

  // `before`: the values that the reader has not changed since.
  #take(job, before) {
    this.#job = job;
    if (!job) return;
    this.#kept = valuesOf(job);
    this.#put(mergedValues(this.values, before, this.#kept));
  }

  // Shows what follows from the values in the form.
  #look() {
    const { values } = this;
    const isChanged = this.#isChanged();
    // Not disabled: that would drop the focus when it has saved.
    this.#save.setAttribute("aria-disabled", String(this.#isSaving || !isChanged));
    this.#discard.hidden = this.#job !== null && !isChanged;
    const words = this.#isSaving ? "Saving…" : isChanged ? "changed, not saved" : "";
    if (this.#state.textContent !== words) this.#state.textContent = words;
    this.#continues.disabled = !values.deliver;
    this.#continuesHint.textContent = values.deliver ? "Off: each run begins a new session with the same chat." : "Without a chat, each run begins a new session.";
    this.#preview.show(values, this.#job);
  }

  #explainTarget(platforms) {
    const field = this.#fields.get("deliver");
    field.allow(platforms.length > 0 || field.value !== "");
    if (!me.is_operator) field.explain("Only the operator may send answers to a chat.");
    else if (!platforms.length) field.explain("No messenger is set up on this server.");
    else field.explain("empty, or a chat: ", el("code", { text: `${platforms[0]}:123456` }), ", with ", el("code", { text: ":thread" }), " after it for a thread");
  }

  #isChanged() {
    const { values } = this;
    return Object.keys(values).some((name) => values[name] !== this.#kept[name]);
  }

  async #send() {
    if (this.#isSaving || !this.#isChanged()) return;
    this.#isSaving = true;
    this.#showRefused(null, [...this.#fields.keys()]);
    this.#look();
    const sent = this.values;
    try {
      const job = await this.#request(sent);
      // What was typed meanwhile stays.
      this.#take(job, sent);
      emit("said", "Schedule saved");
      this.#onSaved(job);
    } catch (error) {
      this.#refuse(error);
    }
    this.#isSaving = false;
    this.#look();
  }

  #request(values) {
    if (!this.#job) return api.post("/api/cron", newJob(values));
    return api.patch(`/api/cron/${this.#job.id}`, changesOf(values, this.#job));
  }

  #refuse(error) {
    const refused = error.status === 400 ? refusedField(error.message) : null;
    if (!refused || !this.#fields.has(refused.field)) {
      this.#failed.textContent = `Not saved: ${error.message}`;
      return;
    }
    this.#showRefused(refused, [refused.field]);
    this.#fields.get(refused.field).focus();
  }

  // Shows the refusal at its field, and takes older ones away from the other fields it could be about.
  #showRefused(refused, names) {
    for (const name of names) this.#fields.get(name).refuse(refused?.field === name ? refused.words : "");
    this.#failed.replaceChildren();
  }

  #drop() {
    this.#put(this.#kept);
    this.#showRefused(null, [...this.#fields.keys()]);
    this.#look();
    if (!this.#job) this.#onDiscard();
  }
}
