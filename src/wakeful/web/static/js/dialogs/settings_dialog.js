// Settings of this browser, what agents may do without asking, who is logged in, and logging out.

import { el, icon } from "../dom.js";
import { me } from "../me.js";
import { askToNotify } from "../news/system.js";
import { settings } from "../settings.js";
import { openDialog } from "./dialog.js";
import { grantList } from "./grant_list.js";
import { leave } from "./leaving.js";
import { loginList } from "./login_list.js";

const THEMES = { system: "System", light: "Light", dark: "Dark" };

export function openSettings() {
  const about = el("p", { class: "dim", text: `wakeful ${me.version} on ${me.host}, logged in as ${me.name}` });
  const logout = el("button", { class: "button", type: "button", onclick: leave }, icon("exit"), "Log out");
  openDialog(
    "Settings",
    el(
      "div",
      { class: "settings" },
      el("div", { class: "field" }, el("span", { class: "field__label", id: "theme-label", text: "Theme" }), themes()),
      busy(),
      notify(),
      toggle("reasoning", "Show reasoning unfolded"),
      toggle("timeline", "Show the timeline"),
      toggle("shortcuts", "Single-key shortcuts"),
      grantList(),
      loginList(),
      el("div", { class: "settings__foot" }, about, logout),
    ),
  );
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
