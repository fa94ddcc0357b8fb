// The list of sessions: searchable, grouped by day, kept current by the stream.

import { api } from "../api.js";
import { emit, on } from "../bus.js";
import { el, icon, iconButton } from "../dom.js";
import { me } from "../me.js";
import { openMenu } from "../menu.js";
import { currentSessionId, followLink, isSettings, newSession, openHome, openSessionById, openSettings, SETTINGS } from "../router.js";
import { soon } from "../soon.js";
import { deleteSession, toggleArchive, togglePin } from "./actions.js";
import { HomeLink } from "./home_link.js";
import { ListView } from "./list_view.js";
import { renameInPlace } from "./renaming.js";
import { isUnread, Rows } from "./rows.js";
import { wordmark } from "./wordmark.js";

const SEARCH_MS = 200;
const PAGE = 50;
// The server's limit for one page.
const MOST = 200;

export function startSidebar(element) {
  const sidebar = new Sidebar(element);
  return {
    next: (step) => sidebar.next(step),
    nextThatNeedsYou: () => sidebar.nextThatNeedsYou(),
    search: () => sidebar.focusSearch(),
    isOver: () => sidebar.isOver(),
    close: () => sidebar.close(),
  };
}

class Sidebar {
  #element;
  #rows = new Rows();
  #search;
  #list;
  #view;
  #who;
  #home = new HomeLink();
  #cursor = null;
  #archived = false;
  // Counts the requests: a response to an earlier one is ignored.
  #asked = 0;
  #timer = 0;
  // Many sessions may change in the same moment.
  #drawSoon = soon(() => this.#draw());
  #isPaging = false;
  // False until the first response: an empty list may only be unknown.
  #isKnown = false;
  #isRenaming = false;
  #opener = null;

  constructor(element) {
    this.#element = element;
    this.#build();
    on("route", () => this.#draw());
    on("route", () => this.close());
    on("beginning", () => this.#draw());
    // A session that is open in a hidden tab is not being read.
    document.addEventListener("visibilitychange", () => this.#draw());
    on("me", () => (this.#who.textContent = `${me.host} · ${me.is_operator ? "operator" : me.name}`));
    on("row", (row) => this.#change(row));
    on("gone", ({ session_id }) => this.#forget(session_id));
    on("rows-refetch", () => this.#refresh());
    on("show-sidebar", () => this.#open());
  }

  next(step) {
    const rows = this.#rows.ordered();
    const at = rows.findIndex((row) => row.session_id === currentSessionId());
    const row = rows[at === -1 ? (step > 0 ? 0 : rows.length - 1) : at + step];
    if (row) openSessionById(row.session_id);
  }

  // Returns false when there is none.
  nextThatNeedsYou() {
    const rows = this.#rows.ordered();
    const from = rows.findIndex((row) => row.session_id === currentSessionId()) + 1;
    const around = [...rows.slice(from), ...rows.slice(0, from)];
    const row = around.find((one) => one.needs_you) ?? around.find((one) => isUnread(one, currentSessionId()));
    if (row) openSessionById(row.session_id);
    // Before the list has loaded, there may be one.
    return Boolean(row) || !this.#isKnown;
  }

  // Whether it covers the page, as on narrow screens.
  isOver() {
    return this.#element.classList.contains("is-open");
  }

  close() {
    if (!this.isOver()) return;
    this.#element.classList.remove("is-open");
    this.#opener?.focus();
  }

  focusSearch() {
    // The settings have their own list in the place of this one.
    if (isSettings()) openHome();
    this.#open();
    this.#search.focus();
    this.#search.select();
  }

  #build() {
    this.#search = el("input", { class: "input", type: "search", "aria-label": "Search sessions", placeholder: "Search sessions", oninput: () => this.#searchSoon() });
    this.#search.addEventListener("keydown", (event) => this.#leaveSearch(event));
    this.#list = el("div", { class: "sessions", onclick: (event) => this.#click(event), onscroll: () => this.#more() });
    this.#view = new ListView(this.#list);
    this.#who = el("span", { class: "sidebar__who" });
    const close = iconButton("cross", "Close the list of sessions", () => this.close(), "only-phone");
    const top = el("div", { class: "sidebar__top" }, wordmark(), el("span", { class: "sidebar__buttons" }, iconButton("plus", "New session (n)", newSession), close));
    const search = el("div", { class: "search", role: "search" }, icon("search"), this.#search, el("span", { class: "kbd", "aria-hidden": "true", text: "/" }));
    const foot = el(
      "div",
      { class: "sidebar__foot" },
      this.#who,
      iconButton("archive", "Archived sessions", (event) => this.#toggleArchived(event.currentTarget)),
      iconButton("keyboard", "Keyboard shortcuts (?)", () => emit("show-help")),
      el("a", { class: "button button--quiet button--icon", href: SETTINGS, "aria-label": "Settings", title: "Settings", onclick: (event) => followLink(event, () => openSettings()) }, icon("gear")),
    );
    this.#element.replaceChildren(top, search, this.#home.element, this.#list, foot);
    // A tap outside closes the sidebar and does nothing else.
    this.#element.after(el("div", { class: "scrim", onclick: () => this.close() }));
  }

  #open() {
    this.#opener = document.activeElement;
    this.#element.classList.add("is-open");
    // An on-screen keyboard would cover the list.
    const hasKeys = matchMedia("(pointer: fine)").matches && !isSettings();
    const first = hasKeys ? this.#search : this.#element.querySelector(".sidebar__top .only-phone");
    first.focus({ preventScroll: true });
  }

  #leaveSearch(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.#search.value = "";
    this.#search.blur();
    this.#fetch();
  }

  #searchSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fetch(), SEARCH_MS);
  }

  #toggleArchived(button) {
    if (isSettings()) openHome();
    this.#archived = !this.#archived;
    button.setAttribute("aria-pressed", this.#archived);
    this.#fetch();
  }

  // For a new search or filter: the list starts over at its top.
  async #fetch() {
    const page = await this.#ask({ limit: PAGE });
    if (!page) return;
    this.#rows.replace(page.sessions);
    this.#cursor = page.next_cursor;
    this.#draw();
    this.#list.scrollTop = 0;
  }

  // For the same search and filter: a reader far down the list stays there.
  async #refresh() {
    const page = await this.#ask({ limit: Math.min(Math.max(this.#rows.size, PAGE), MOST) });
    if (!page) return;
    const isShort = !page.next_cursor;
    if (isShort) this.#rows.replace(page.sessions);
    if (isShort || !this.#rows.refresh(page.sessions)) this.#cursor = page.next_cursor;
    this.#draw();
  }

  async #more() {
    const { scrollTop, scrollHeight, clientHeight } = this.#list;
    if (!this.#cursor || this.#isPaging || scrollHeight - scrollTop - clientHeight >= 300) return;
    this.#isPaging = true;
    const page = await this.#ask({ limit: PAGE, cursor: this.#cursor }, this.#asked);
    this.#isPaging = false;
    if (!page) return;
    this.#rows.put(page.sessions);
    this.#cursor = page.next_cursor;
    this.#draw();
  }

  // Returns null when a newer request was made meanwhile, or the request failed.
  async #ask(query, number = ++this.#asked) {
    const q = this.#search.value.trim() || null;
    try {
      const page = await api.get("/api/sessions", { q, archived: this.#archived ? "true" : null, ...query });
      if (number !== this.#asked) return null;
      this.#isKnown = true;
      return page;
    } catch (error) {
      // The header shows that the connection is down; the list stays, and the next connection asks again.
      console.info("could not fetch the list:", error.message);
      return null;
    }
  }

  #change(row) {
    const known = this.#rows.get(row.session_id);
    const belongs = row.archived === this.#archived && (known || !this.#search.value.trim());
    // Only responses to a search have the hit.
    if (belongs) this.#rows.put([{ ...row, snippet: known?.snippet, message_id: known?.message_id }]);
    else this.#rows.remove(row.session_id);
    this.#drawSoon();
  }

  #forget(id) {
    this.#rows.remove(id);
    this.#drawSoon();
  }

  #draw() {
    if (this.#isRenaming) return;
    const openId = currentSessionId();
    const rows = this.#rows.ordered();
    this.#view.show(this.#rows.groups(), openId, () => this.#emptyView());
    this.#home.update(rows.filter((row) => row.needs_you).length);
    emit("unread", rows.filter((row) => row.needs_you || isUnread(row, openId)).length);
  }

  #emptyView() {
    if (!this.#isKnown) return el("div");
    const words = this.#search.value.trim();
    const clear = () => {
      this.#search.value = "";
      this.#fetch();
    };
    if (words) {
      return el("div", { class: "empty empty--small" }, el("p", { text: `Nothing matches “${words}”.` }), el("button", { class: "button button--quiet button--small", type: "button", text: "Clear the search", onclick: clear }));
    }
    return el("div", { class: "empty empty--small" }, el("p", { text: this.#archived ? "Nothing is archived." : "No sessions yet." }));
  }

  #click(event) {
    const menu = event.target.closest("[data-menu]");
    if (menu) {
      this.#menu(menu, this.#rows.get(menu.dataset.menu));
      return;
    }
    const link = event.target.closest("a.session");
    if (link) followLink(event, () => this.#follow(link.dataset));
  }

  #follow({ id, message }) {
    openSessionById(id);
    if (message) emit("reveal-soon", { message });
  }

  #menu(button, row) {
    openMenu(button, [
      { label: "Rename", icon: "edit", run: () => this.#rename(row) },
      { label: row.pinned ? "Unpin" : "Pin", icon: "pin", run: () => togglePin(row) },
      { label: row.archived ? "Back to the list" : "Archive", icon: "archive", run: () => toggleArchive(row) },
      { label: "Delete", icon: "trash", danger: true, run: () => deleteSession(row) },
    ]);
  }

  #rename(row) {
    const link = this.#list.querySelector(`a[data-id="${CSS.escape(row.session_id)}"]`);
    // The row left the list while its menu was open.
    if (!link) return;
    this.#isRenaming = true;
    renameInPlace(link, row, () => {
      this.#isRenaming = false;
      this.#draw();
    });
  }
}
