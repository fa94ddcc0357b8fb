// The buttons in the header that begin a new schedule: with a word, and as an icon on a phone.

import { on } from "../bus.js";
import { el, icon, iconButton } from "../dom.js";
import { isSchedules, NEW_SCHEDULE, openSchedules } from "../router.js";

export function newScheduleButtons() {
  const open = () => openSchedules(NEW_SCHEDULE);
  const buttons = [
    el("button", { class: "button only-desktop", type: "button", onclick: open }, icon("plus"), "New schedule"),
    iconButton("plus", "New schedule", open, "only-phone"),
  ];
  const toggle = () => buttons.forEach((button) => (button.hidden = !isSchedules()));
  on("route", toggle);
  toggle();
  return buttons;
}
