// A section of the settings whose entries can be removed. It loads itself, reports what happened, and keeps the focus.

import { el, icon } from "../dom.js";
import { headingOf, setSection } from "./set_section.js";

// hint: a sentence beside the heading. empty: the text when there are no entries. load() resolves to entries:
// {icon, title, note: [text or element, …], act: {words, label, done, run} or null}. more: an act on all entries, shown
// while isMore(entries).
export function entriesSection({ id, name, hint, empty, load, more, isMore }) {
  const body = el("div", { class: "entries" });
  const status = el("p", { class: "field__hint", role: "status" });
  const section = setSection(id, name, hint, body, status);

  async function show() {
    body.setAttribute("aria-busy", "true");
    try {
      draw(await load());
    } catch (error) {
      body.replaceChildren(el("p", { class: "field__error" }, icon("fail"), error.message), actButton({ words: "Try again", run: show }));
    }
    body.removeAttribute("aria-busy");
  }

  function draw(entries) {
    const list = el("ul", { class: "rows", role: "list" }, entries.map((entry) => row(entry, perform)));
    const rest = more && isMore(entries) ? actButton({ ...more, run: () => perform(more) }) : null;
    body.replaceChildren(...[entries.length ? list : el("p", { class: "dim", text: empty }), rest].filter(Boolean));
  }

  // The button vanishes with its entry: focus the heading, or the focus would be lost.
  async function perform(act) {
    try {
      await act.run();
      await show();
      status.textContent = act.done;
    } catch (error) {
      status.textContent = error.message;
    }
    headingOf(section).focus({ preventScroll: true });
  }

  body.append(el("p", { class: "dim", text: "Loading…" }));
  show();
  return section;
}

function row(entry, perform) {
  return el(
    "li",
    { class: "row" },
    icon(entry.icon),
    el("p", { class: "row__title row__title--wrap", text: entry.title }),
    el("p", { class: "row__note row__note--wrap" }, entry.note),
    entry.act && el("span", { class: "row__side" }, actButton({ ...entry.act, run: () => perform(entry.act) })),
  );
}

function actButton({ words, label, run }) {
  return el("button", { class: "button button--small", type: "button", "aria-label": label, onclick: run }, words);
}
