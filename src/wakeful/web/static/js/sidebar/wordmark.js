import { el, svg } from "../dom.js";
import { followLink, openHome } from "../router.js";

export function wordmark() {
  return el("a", { class: "wordmark", href: "/", onclick: (event) => followLink(event, openHome) }, mark(), "wakeful");
}

export function mark() {
  return svg(
    "svg",
    { class: "mark", viewBox: "0 0 22 22", "aria-hidden": "true" },
    svg("path", { class: "mark__lid", d: "M3 14.5a8 8 0 0 1 16 0" }),
    svg("circle", { class: "mark__sun", cx: 11, cy: 14, r: 3 }),
    svg("path", { class: "mark__line", d: "M3 18.5h16" }),
  );
}
