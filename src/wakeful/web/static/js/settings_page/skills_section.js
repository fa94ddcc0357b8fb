// What the agent is told in every session: the person's instructions, its memory, and the skills it knows.

import { api } from "../api.js";
import { el } from "../dom.js";
import { me } from "../me.js";
import { entriesSection } from "./entries.js";

export function skillsSection() {
  const section = entriesSection({
    id: "skills",
    name: "Skills and instructions",
    hint: "skills are read when they apply",
    empty: "No skills yet. Each is a folder with a SKILL.md that says when it applies and what to do.",
    load: async () => (await api.get("/api/skills")).skills.map(entry),
  });
  section.querySelector(".entries").before(el("p", { class: "dim" }, instructionWords(me.config_file)));
  return section;
}

// `file` is null for those who cannot see the server's folder.
function instructionWords(file) {
  const folder = file ? file.replace(/[^/]*$/, "") : "";
  const where = folder ? ["Both are in ", el("code", { text: folder }), "."] : ["The operator can show you where they are."];
  return ["What you write into ", el("code", { text: "instructions.md" }), " holds in every session; the agent keeps ", el("code", { text: "memory.md" }), " when you ask it to. ", ...where];
}

function entry({ name, description, path, error }) {
  return {
    icon: error ? "warn" : "book",
    title: name,
    note: [error ? `left out: ${error[0].toLowerCase()}${error.slice(1).replace(/\.$/, "")}` : description, " · ", el("code", { text: path })],
    act: null,
  };
}
