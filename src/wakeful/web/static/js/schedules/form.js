// The form of a schedule, for one that is made and for one that is changed. What the reader has changed stays until it
// is saved or discarded, whatever the server says meanwhile.

import { api } from "../api.js";
import { emit } from "../bus.js";
import { el } from "../dom.js";
import { JobFields } from "./job_fields.js";
import { blankValues, changesOf, mergedValues, newJob, refusedField, valuesOf } from "./job_values.js";
import { Preview } from "./preview.js";
import { ownZone } from "./times.js";

export class JobForm {
  // Null for a schedule that is not saved yet.
  #job = null;
  // The values that the server has, or those of an empty form.
  #kept = blankValues(ownZone());
  #isSaving = false;
  #onSaved;
  #onDiscard;
  #fields = new JobFields();
  #preview = new Preview((refused) => this.#fields.refuse(refused, ["schedule", "timezone"]));
  #save = el("button", { class: "button button--main", type: "submit", text: "Save" });
  #discard = el("button", { class: "button button--quiet", type: "button", text: "Discard", onclick: () => this.#drop() });
  #state = el("span", { class: "dim", role: "status" });
  #failed = el("span", { class: "field__error", role: "alert" });

  // `onSaved(job, isNew)`; `onDiscard()` is called for a new schedule, which has nothing to go back to.
  constructor(onSaved, onDiscard) {
    this.#onSaved = onSaved;
    this.#onDiscard = onDiscard;
    const foot = el("div", { class: "form__foot" }, this.#save, this.#discard, this.#state, this.#failed);
    const content = el("div", { class: "form" }, this.#fields.elements(this.#preview.element), foot);
    this.element = el("form", { class: "section", autocomplete: "off", "aria-label": "Schedule", oninput: () => this.#look() }, content);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.#fields.values = this.#kept;
  }

  // Takes what the server says of the job, except where the reader has changed it.
  update(job, choices) {
    this.#take(job, this.#kept);
    this.#fields.offer(choices, job !== null);
    this.#look();
  }

  // Puts values into the form that the reader has not saved.
  propose(values) {
    this.#fields.values = { ...this.#kept, ...values };
    this.#look();
  }

  focus() {
    this.#fields.focus("prompt");
  }

  // `before`: the values that the reader has not changed since.
  #take(job, before) {
    this.#job = job;
    if (!job) return;
    this.#kept = valuesOf(job);
    this.#fields.values = mergedValues(this.#fields.values, before, this.#kept);
  }

  // Shows what follows from the values in the form.
  #look() {
    const isChanged = this.#isChanged();
    // Not disabled: that would drop the focus when it has saved.
    this.#save.setAttribute("aria-disabled", String(this.#isSaving || !isChanged));
    this.#discard.hidden = this.#job !== null && !isChanged;
    const words = this.#isSaving ? "Saving…" : isChanged ? "changed, not saved" : "";
    if (this.#state.textContent !== words) this.#state.textContent = words;
    this.#fields.look();
    this.#preview.show(this.#fields.values, this.#job);
  }

  #isChanged() {
    const { values } = this.#fields;
    return Object.keys(values).some((name) => values[name] !== this.#kept[name]);
  }

  async #send() {
    if (this.#isSaving || !this.#isChanged()) return;
    const [sent, isNew] = [this.#fields.values, this.#job === null];
    this.#isSaving = true;
    this.#forgive();
    this.#look();
    try {
      const job = await this.#request(sent);
      // What was typed meanwhile stays.
      this.#take(job, sent);
      emit("said", "Schedule saved");
      this.#onSaved(job, isNew);
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
    this.#fields.refuse(refused, [refused.field]);
    this.#fields.focus(refused.field);
  }

  #forgive() {
    this.#fields.refuse(null);
    this.#failed.replaceChildren();
  }

  #drop() {
    this.#fields.values = this.#kept;
    this.#forgive();
    this.#look();
    if (!this.#job) this.#onDiscard();
  }
}
