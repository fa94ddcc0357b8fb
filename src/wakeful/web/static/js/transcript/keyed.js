// Children of an element by key: entries that stay keep their views and elements.

export class Keyed {
  #parent;
  #views = new Map();

  constructor(parent) {
    this.#parent = parent;
  }

  // `wanted`: entries with a `key`, in the order of the page. `make(entry)` returns a view with an `element` and
  // `update(entry)`.
  show(wanted, make) {
    const keys = new Set(wanted.map((entry) => entry.key));
    for (const [key, view] of this.#views) {
      if (keys.has(key)) continue;
      view.element.remove();
      this.#views.delete(key);
    }
    let before = null;
    for (const entry of wanted) {
      before = this.#put(entry, make, before);
    }
  }

  #put(entry, make, before) {
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
