// The doors in the settings: how each is doing, posts that have not arrived, and who may talk.

import { el } from "../dom.js";
import { RowView } from "../row_view.js";
import { headingOf, setSection } from "../settings_page/set_section.js";
import { Keyed } from "../transcript/keyed.js";
import { doorEntries, doorRow } from "./door_rows.js";
import { DoorsFeed } from "./feed.js";
import { announce, codeForm, pairedEntries, pairedParts, waitingEntries, waitingParts } from "./people.js";
import { postEntries, postRow } from "./post_rows.js";
import { SubList } from "./sub_list.js";

const LEAD = "No door to a messenger is open yet. Through one you talk to the agent from your phone, and it tells you there when its work is done.";

// Lives until the signal is aborted. `mark({needs, hasFailed})` marks the section in the list of sections.
export function doorsSection({ signal, mark }) {
  return new DoorsSection(signal, mark).element;
}

class DoorsSection {
  #mark;
  #feed;
  // The keys of people who wait; null before the first look.
  #known = null;
  #lead = el("p", { class: "lead", text: LEAD, hidden: true });
  #waiting = el("ul", { class: "pairings", role: "list" });
  #asking = new Keyed(this.#waiting);
  #list = el("ul", { class: "rows", role: "list" });
  #doors = new Keyed(this.#list);
  #stuck = new SubList("h-stuck", "Posts that need a decision", "nothing is ever sent twice without saying so", (entry) => postRow(entry, () => this.#again(this.#stuck)));
  #late = new SubList("h-late", "Posts that wait", "each chat gets its posts one after another", (entry) => postRow(entry, () => this.#again(this.#late)));
  #people = new SubList("h-people", "People who may talk", "beside those whom the settings allow", (entry) => pairedParts(entry, () => this.#again(this.#people)));
  #form = codeForm(() => this.#feed.ask());

  constructor(signal, mark) {
    this.#mark = mark;
    this.#list.append(el("li", { class: "row" }, el("span"), el("p", { class: "dim", text: "Loading…" })));
    const parts = [this.#waiting, this.#lead, this.#list, this.#stuck.element, this.#late.element, this.#people.element, this.#form];
    this.element = setSection("doors", "Doors", "where people and machines reach the agent", ...parts);
    this.#form.hidden = true;
    this.#feed = new DoorsFeed(signal, (shown) => this.#draw(shown));
  }

  #draw(shown) {
    const asking = waitingEntries(shown);
    if (this.#known === null) this.#list.replaceChildren();
    else announce(asking, this.#known);
    this.#known = new Set(asking.map((entry) => entry.key));
    this.#asking.show(asking, () => new RowView((entry) => waitingParts(entry, () => this.#answered()), el("li", { class: "pairing" })));
    this.#lead.hidden = shown.platforms.length > 0;
    this.#doors.show(doorEntries(shown), () => new RowView(doorRow, el("li", { class: "row" })));
    this.#stuck.show(postEntries(shown, ["refused", "unknown"]));
    this.#late.show(postEntries(shown, ["waiting"]));
    this.#people.show(pairedEntries(shown));
    this.#form.hidden = !shown.platforms.length;
    this.#mark({ needs: asking.length, hasFailed: hasFailed(shown) });
  }

  async #again(list) {
    await this.#feed.ask();
    this.#keepFocus(list.heading);
  }

  async #answered() {
    await this.#feed.ask();
    this.#keepFocus(this.#waiting.querySelector("button"));
  }

  // A row that was dealt with has gone, and with it the focus.
  #keepFocus(next) {
    if (document.activeElement === document.body) (next ?? headingOf(this.element)).focus({ preventScroll: true });
  }
}

function hasFailed({ platforms, posts }) {
  return platforms.some((door) => door.state === "refused") || posts.some((post) => post.state === "refused");
}
