// Events between the parts of the page. The module that emits an event documents it.

const target = new EventTarget();

export function on(name, listener) {
  const hear = (event) => listener(event.detail);
  target.addEventListener(name, hear);
  return () => target.removeEventListener(name, hear);
}

export function emit(name, detail) {
  target.dispatchEvent(new CustomEvent(name, { detail }));
}
