// The bar above a session: its title and actions, the connection, how full the context is, background work.

import { emit, on } from "../bus.js";
import { el, icon, iconButton } from "../dom.js";
import { openMenu } from "../menu.js";
import { isSchedules, isSessionShown, newSession } from "../router.js";
import { newScheduleButtons } from "../schedules/new_button.js";
import { openSession } from "../session/state.js";
import { deleteSession, toggleArchive, togglePin } from "../sidebar/actions.js";
import { chatLine } from "./chat_line.js";
import { connectionView } from "./connection_view.js";
import { daySpendButton } from "./day_spend.js";
import { TitleView } from "./title.js";
import { usageButton, usageWords } from "./usage.js";

export function startHeader(element) {
  const title = new TitleView();
  const menu = iconButton(
    "dots",
    "Session actions",
    (event) => openActions(event.currentTarget, title),
    "header__menu",
  );
  menu.setAttribute("aria-haspopup", "menu");
  const count = el("span", { class: "button__count num", hidden: true });
  const background = el(
    "button",
    { class: "button button--quiet", type: "button", onclick: () => emit("show-drawer") },
    icon("panel"),
    el("span", { class: "only-desktop", text: "Background" }),
    count,
  );
  const [newSchedule, newScheduleIcon] = newScheduleButtons();
  const create = iconButton("plus", "New session", newSession, "only-phone");
  const sessions = iconButton("menu", "Sessions", () => emit("show-sidebar"), "only-phone");
  element.replaceChildren(
    sessions,
    el("div", { class: "header__where" }, title.element, chatLine()),
    menu,
    el("span", { class: "header__space" }),
    newSchedule,
    connectionView(),
    usageButton(),
    daySpendButton(),
    create,
    newScheduleIcon,
    background,
  );
  const draw = () => {
    menu.hidden = !openSession.session;
    title.update();
    background.hidden = !isSessionShown();
    create.hidden = isSchedules();
    const running = [...openSession.tasks.values()].filter((task) => task.status === "running").length;
    count.hidden = !running;
    count.textContent = running;
    const name = openSession.todo.length ? "Plan and background work" : "Background work";
    background.setAttribute("aria-label", running ? `${name}, ${running} running` : name);
  };
  on("session-opened", draw);
  on("beginning", draw);
  on("session-changed", draw);
  on("drawer", (isShown) => background.setAttribute("aria-expanded", String(isShown)));
  draw();
}

function openActions(button, title) {
  const row = openSession.session;
  const use = usageWords();
  openMenu(button, [
    { label: "Rename", icon: "edit", run: () => title.edit() },
    { label: row.pinned ? "Unpin" : "Pin", icon: "pin", run: () => togglePin(row) },
    { label: row.archived ? "Back to the list" : "Archive", icon: "archive", run: () => toggleArchive(row) },
    ...(use ? [{ label: "Context and cost", icon: "info", note: use, run: () => emit("show-usage", button) }] : []),
    { label: "Delete", icon: "trash", danger: true, run: () => deleteSession(row) },
  ]);
}
