// Explains how to connect a real model while the built-in scripted one answers.

import { on } from "../bus.js";
import { el } from "../dom.js";
import { me } from "../me.js";

export function connectSection() {
  const words = el(
    "p",
    { class: "lead" },
    "Answers come from the built-in scripted model, which only follows a few fixed patterns. To use a real one, set ",
    el("code", { text: "WAKEFUL_MODEL" }),
    " and its key and restart the server; ",
    el("code", { text: "docs/models.md" }),
    " says how.",
  );
  const head = el("div", { class: "section__head" }, el("h2", { id: "h-connect", text: "Connect your model" }));
  const element = el("section", { class: "section", "aria-labelledby": "h-connect", hidden: true }, head, words);
  on("me", () => (element.hidden = !me.model.startsWith("demo:")));
  return element;
}
