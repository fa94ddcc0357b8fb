// How the page looks and behaves in this browser.

import { el } from "../dom.js";
import { askToNotify } from "../news/system.js";
import { settings } from "../settings.js";
import { setSection } from "./set_section.js";

const THEMES = { system: "System", light: "Light", dark: "Dark" };

export function appearanceSection() {
  const theme = el("div", { class: "field" }, el("span", { class: "field__label", id: "theme-label", text: "Theme" }), themes());
  const choices = el(
    "div",
    { class: "choices" },
    notify(),
    toggle("reasoning", "Show reasoning unfolded"),
    toggle("timeline", "Show the timeline"),
    toggle("shortcuts", "Single-key shortcuts"),
  );
  return setSection("appearance", "Appearance", "of this browser", el("div", { class: "form" }, theme, busy()), choices);
}
function themes() {
  const group = el("div", { class: "segments", role: "group", "aria-labelledby": "theme-label" });
  const draw = () =>
    group.replaceChildren(
      ...Object.entries(THEMES).map(([name, text]) =>
        el("button", { type: "button", "aria-pressed": String(settings.get("theme") === name), text, onclick: () => choose(name) }),
      ),
    );
  const choose = (name) => {
    settings.set("theme", name);
    draw();
    group.querySelector('[aria-pressed="true"]').focus();
  };
  draw();
  return group;
}

function busy() {
  const select = el("select", { class: "select", id: "busy", onchange: () => settings.set("busy", select.value) });
  select.append(el("option", { value: "queue", text: "Queue my message" }), el("option", { value: "steer", text: "Steer the turn with my message" }));
  select.value = settings.get("busy");
  return el("div", { class: "field" }, el("label", { class: "field__label", for: "busy", text: "While a turn runs" }), select);
}

function toggle(name, text) {
  const box = el("input", { type: "checkbox", class: "switch", role: "switch", onchange: () => settings.set(name, box.checked) });
  box.checked = settings.get(name);
  return el("label", { class: "check" }, box, text);
}

function notify() {
  const hint = el("p", { class: "field__hint" });
  const box = el("input", { type: "checkbox", class: "switch", role: "switch" });
  box.checked = settings.get("notify");
  box.addEventListener("change", async () => {
    if (box.checked && !(await askToNotify())) {
      box.checked = false;
      hint.textContent = "The browser blocks notifications for this page. Allow them in its site settings, beside the address.";
    }
    settings.set("notify", box.checked);
  });
  return el("div", {}, el("label", { class: "check" }, box, "Notify me of other sessions while this page is hidden"), hint);
}
