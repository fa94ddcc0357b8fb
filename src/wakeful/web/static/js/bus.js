// What the parts of the page tell each other. The names are listed where they are first told.

const target = new EventTarget();

export function on(name, listener) {
  const hear = (event) => listener(event.detail);
  target.addEventListener(name, hear);
  return () => target.removeEventListener(name, hear);
}

export function emit(name, detail) {
  target.dispatchEvent(new CustomEvent(name, { detail }));
}
