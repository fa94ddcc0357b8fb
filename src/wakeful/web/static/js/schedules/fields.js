// A field of the form: its label, control, hint and the server's refusal, tied together for screen readers.

import { el, icon } from "../dom.js";

export class Field {
  #hint;
  #error;
  #control;
  #nameOption;

  // `control` is an input, a select or a textarea; `isWide`: it takes the width of the form. `nameOption(value)` returns
  // the text for a value that the select does not offer yet.
  constructor(name, label, control, { hint = [], isWide = false, nameOption = (value) => value } = {}) {
    this.#nameOption = nameOption;
    const id = `schedule-${name}`;
    control.id = id;
    control.setAttribute("aria-describedby", `${id}-hint`);
    this.#control = control;
    this.#hint = el("span", { class: "field__hint", id: `${id}-hint` }, hint);
    this.#error = el("span", { class: "field__error", id: `${id}-error`, hidden: true });
    const title = el("label", { class: "field__label", for: id, text: label });
    this.element = el("div", { class: isWide ? "field form__wide" : "field" }, title, control, this.#error, this.#hint);
  }

  get value() {
    return this.#control.value;
  }

  // A value that is set already stays as it is, and with it the reader's cursor.
  set value(value) {
    if (this.#control instanceof HTMLSelectElement) offer(this.#control, value, this.#nameOption(value));
    if (this.#control.value !== value) this.#control.value = value;
  }

  explain(...hint) {
    this.#hint.replaceChildren(...hint);
  }

  // Shows why the server refuses the value; "" for nothing.
  refuse(words) {
    this.#error.hidden = !words;
    // It says what would be right.
    this.#hint.hidden = Boolean(words);
    this.#control.setAttribute("aria-describedby", (words ? this.#error : this.#hint).id);
    this.#error.replaceChildren(...(words ? [icon("fail"), el("span", { text: words })] : []));
    if (words) this.#control.setAttribute("aria-invalid", "true");
    else this.#control.removeAttribute("aria-invalid");
  }

  allow(isAllowed) {
    this.#control.disabled = !isAllowed;
  }

  focus() {
    this.#control.focus();
  }
}

export function select(options) {
  const element = el("select", { class: "select" });
  for (const [value, text] of options) offer(element, value, text);
  return element;
}

// Adds an option, unless the value has one.
export function offer(element, value, text) {
  if (![...element.options].some((option) => option.value === value)) element.append(el("option", { value, text }));
}
