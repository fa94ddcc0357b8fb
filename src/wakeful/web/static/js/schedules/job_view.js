// One schedule, or the form for a new one.

import { JobForm } from "./form.js";
import { JobHead } from "./head.js";

export class JobView {
  #head;
  #form;

  // `actions`: {onSaved, onDiscard, onChanged, onRemoved, onCopy}
  constructor(actions) {
    this.#head = new JobHead(actions);
    this.#form = new JobForm(actions.onSaved, actions.onDiscard);
    this.elements = [this.#head.element, this.#form.element];
  }

  // `job` is null for a new schedule.
  update(job, choices) {
    this.#head.update(job);
    this.#form.update(job, choices);
  }

  propose(values) {
    this.#form.propose(values);
  }

  focusForm() {
    this.#form.focus();
  }

  focusTitle() {
    this.#head.focus();
  }
}
