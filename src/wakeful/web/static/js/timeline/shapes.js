const SVG = "http://www.w3.org/2000/svg";

export function shape(name, { text, ...attributes }, parts = []) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, typeof value === "number" ? round(value) : value);
  }
  if (text) element.textContent = text;
  element.append(...parts);
  return element;
}

// A link to the turn or task in the transcript.
export function link({ turn = "", task = "" }, label, parts) {
  return shape("a", { href: `#turn-${turn}`, "aria-label": label, "data-turn": turn, "data-task": task }, parts);
}

export function round(number) {
  return Math.round(number * 10) / 10;
}
