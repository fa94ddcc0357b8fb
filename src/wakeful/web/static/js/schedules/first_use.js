// What the page shows while there are no schedules: what they are for, and some to begin with.

import { el, icon } from "../dom.js";
import { mark } from "../sidebar/wordmark.js";

const EXAMPLES = [
  {
    icon: "calendar",
    about: "Every weekday at eight, before you sit down.",
    values: { name: "Morning report", schedule: "0 8 * * 1-5", prompt: "What has changed in this repository since yesterday? Five lines at most, the important things first." },
  },
  {
    icon: "watch",
    about: "Every six hours, and it only speaks up if something is wrong.",
    values: { name: "Watch the disk", schedule: "every 6h", prompt: "How full are the disks of this machine? If one is fuller than 80 %, find out what takes the space; else one line will do." },
  },
  {
    icon: "again",
    about: "On the first of the month, at night.",
    values: { name: "Monthly tidying", schedule: "0 3 1 * *", prompt: "List files in this folder that nobody has touched for a year, with their sizes. Delete nothing." },
  },
  {
    icon: "clock",
    about: "Once, in two hours. Then it is done.",
    values: { name: "Remind me", schedule: "in 2h", prompt: "Remind me to look at the build, and say how its last run ended." },
  },
];

// `onChoose(values)` begins a schedule with these values.
export function firstUse(onChoose) {
  const words = "A schedule says the same words to an agent at set times, and you find its answer here or in a chat. Begin with one of these, or ask for one in any session.";
  const head = el("div", { class: "calm" }, mark(), el("h2", { text: "No schedules yet" }), el("p", { text: words }));
  const cards = el("div", { class: "demos" }, EXAMPLES.map((example) => card(example, onChoose)));
  const inner = el("div", { class: "page__inner" }, head, cards);
  return el("section", { class: "split__first", tabindex: -1, "aria-label": "Schedules to begin with", hidden: true }, inner);
}

function card({ icon: name, about, values }, onChoose) {
  const use = el("button", { class: "button", type: "button", "aria-label": `Use: ${values.name}`, onclick: () => onChoose(values) }, icon("plus"), "Use this");
  const foot = el("div", { class: "demo__foot" }, el("div", { class: "demo__line" }, el("code", { text: values.schedule })), use);
  return el("section", { class: "demo", "aria-label": values.name }, el("h3", {}, icon(name), values.name), el("p", { text: about }), foot);
}
