// Files of messages: pictures are shown, all others are offered.

import { el, icon } from "./dom.js";
import { count } from "./format.js";

const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function isPicture({ type }) {
  return SHOWN.has(type);
}

// "812 bytes", "48 KB", "1.2 MB"
export function sizeWords(size) {
  if (size < 1000) return count(size, "byte");
  if (size < 1_000_000) return `${Math.round(size / 1000)} KB`;
  return `${Math.round(size / 100_000) / 10} MB`;
}

// Elements for files that a message has, or that a call has shown with a caption.
export function fileElements(files, caption = "") {
  return files.map((file) => (isPicture(file) ? picture(file, caption) : offered(file, caption)));
}

function picture(file, caption) {
  const words = caption ? `${file.name}, ${caption}` : file.name;
  const shown = el("img", { src: file.url, alt: words, loading: "lazy", decoding: "async" });
  const link = el("a", { href: file.url, target: "_blank", rel: "noopener", "aria-label": `Open ${file.name}` }, shown);
  const note = el("figcaption", {}, el("span", { text: words }), el("span", { text: sizeWords(file.size) }));
  return el("figure", { class: "picture" }, link, note);
}

function offered(file, caption) {
  const note = [sizeWords(file.size), file.type.startsWith("text/") ? "text" : "", caption].filter(Boolean).join(", ");
  return el(
    "a",
    { class: "attach", href: file.url, download: file.name },
    el("span", { class: "attach__icon" }, icon("file")),
    el("span", { class: "attach__name", text: file.name }),
    el("span", { class: "attach__note", text: note }),
  );
}
