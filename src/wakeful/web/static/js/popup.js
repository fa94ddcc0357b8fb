// Floats an element at a button until Esc or a click elsewhere. Returns a function that closes it.

export function openPopup(button, element, { focus } = {}) {
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
  position(element, button);
  button.setAttribute("aria-expanded", "true");
  focus?.()?.focus();
  return close;
}

// Below the button if there is room, else above it, and always inside the window.
function position(element, button) {
  const at = button.getBoundingClientRect();
  const { width, height } = element.getBoundingClientRect();
  const hasRoom = at.bottom + height + 8 <= innerHeight;
  element.style.top = `${hasRoom ? at.bottom + 4 : Math.max(8, at.top - height - 4)}px`;
  element.style.left = `${Math.min(Math.max(8, at.left), innerWidth - width - 8)}px`;
}
