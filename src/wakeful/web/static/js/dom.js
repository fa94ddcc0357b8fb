// Builds elements in code. Nothing here parses markup, so text stays text.

const SVG = "http://www.w3.org/2000/svg";
const SPRITE = new URL("../icons.svg", import.meta.url).pathname;

// el("p", {class: "said", text, "aria-label": …, onclick: …}, child, …). Props and children that are null, undefined or
// false are skipped.
export function el(name, props = {}, ...children) {
  return fill(document.createElement(name), props, children);
}

export function svg(name, props = {}, ...children) {
  return fill(document.createElementNS(SVG, name), props, children);
}

export function icon(name, more = "") {
  const use = svg("use", { href: `${SPRITE}#i-${name}` });
  return svg("svg", { class: more ? `icon ${more}` : "icon", "aria-hidden": "true" }, use);
}

// An icon without text: the label is its tooltip and its name for screen readers.
export function iconButton(name, label, onclick, more = "") {
  const kind = `button button--quiet button--icon ${more}`.trim();
  return el("button", { class: kind, type: "button", "aria-label": label, title: label, onclick }, icon(name));
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
