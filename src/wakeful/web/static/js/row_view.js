// A row that is rebuilt when its entry has changed; `make(entry)` returns its children.

export class RowView {
  #make;
  #shown = "";

  constructor(make, element) {
    this.#make = make;
    this.element = element;
  }

  update(entry) {
    const shown = JSON.stringify(entry);
    if (shown === this.#shown) return;
    this.#shown = shown;
    // Links and buttons are replaced: the focus moves to the new one in the same position.
    const at = this.#controls().indexOf(document.activeElement);
    this.element.replaceChildren(...this.#make(entry).filter(Boolean));
    if (at !== -1) this.#controls().at(at)?.focus({ preventScroll: true });
  }

  #controls() {
    return [...this.element.querySelectorAll("button, a")];
  }
}
