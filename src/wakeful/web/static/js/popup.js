// Floats an element at a button until Esc or a click elsewhere. Returns a function that closes it.

export function openPopup(button, element, { focus, alignsRight = false } = {}) {
  const stop = new AbortController();
  const close = (returnsFocus = true) => {
    if (!element.isConnected) return;
    stop.abort();
    element.remove();
    button.setAttribute("aria-expanded", "false");
    if (returnsFocus) button.focus();
  };
  const onKey = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  element.addEventListener("keydown", onKey);
  addEventListener("pointerdown", (event) => !element.contains(event.target) && close(false), {
    capture: true,
    signal: stop.signal,
  });
  addEventListener("resize", () => close(false), { signal: stop.signal });
  document.body.append(element);
  position(element, button, alignsRight);
  button.setAttribute("aria-expanded", "true");
  focus?.()?.focus();
  return close;
}

// Moves the focus through the elements with the arrow keys, Home and End.
export function walkWithKeys(event, elements) {
  const at = elements.indexOf(document.activeElement);
  const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: elements.length - 1 };
  if (!(event.key in steps) || !elements.length) return;
  event.preventDefault();
  elements.at(steps[event.key] % elements.length).focus();
}

// Below the button if there is room, else above it, and always inside the window.
function position(element, button, alignsRight) {
  const at = button.getBoundingClientRect();
  const { width, height } = element.getBoundingClientRect();
  const hasRoom = at.bottom + height + 8 <= innerHeight;
  const left = alignsRight ? at.right - width : at.left;
  element.style.top = `${hasRoom ? at.bottom + 4 : Math.max(8, at.top - height - 4)}px`;
  element.style.left = `${Math.min(Math.max(8, left), innerWidth - width - 8)}px`;
}
