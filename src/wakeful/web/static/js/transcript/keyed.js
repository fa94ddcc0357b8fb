// Children that keep their elements: `wanted` is [{key, make, update}] in the order of the screen.

export class Keyed {
  #parent;
  #views = new Map();

  constructor(parent) {
    this.#parent = parent;
  }

  // `make(entry)` answers a view with an `element` and `update(entry)`.
  show(wanted, make) {
    const keys = new Set(wanted.map((entry) => entry.key));
    for (const [key, view] of this.#views) {
      if (keys.has(key)) continue;
      view.element.remove();
      this.#views.delete(key);
    }
    let before = null;
    for (const entry of wanted) {
      before = this.#place(entry, make, before);
    }
  }

  get(key) {
    return this.#views.get(key);
  }

  #place(entry, make, before) {
    let view = this.#views.get(entry.key);
    if (!view) {
      view = make(entry);
      this.#views.set(entry.key, view);
    }
    view.update(entry);
    const next = before ? before.nextSibling : this.#parent.firstChild;
    if (next !== view.element) this.#parent.insertBefore(view.element, next);
    return view.element;
  }
}
