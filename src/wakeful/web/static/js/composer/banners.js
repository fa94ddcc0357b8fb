// Banners above the message box: why wake-ups wait, what was refused, which events are missing, that we are offline, and
// what has not arrived in the chat of the session.

import { emit, on } from "../bus.js";
import { el, icon, iconButton } from "../dom.js";
import { dropPost, retryPost } from "../doors/post_rows.js";
import { stuckWords } from "../doors/post_words.js";
import { clock, count } from "../format.js";
import { followLink, openSettings, SETTINGS } from "../router.js";
import { retryNow } from "../session/session.js";
import { openSession } from "../session/state.js";
import { banner } from "./banner.js";
import { spendBanner } from "./spend_banner.js";
import { StuckPosts } from "./stuck_posts.js";

// By name, in the order of the page.
const shown = new Map([
  ["offline", null],
  ["refused", null],
  ["waits", null],
  ["posts", null],
  ["gap", null],
]);

export function startBanners(element) {
  const set = (name, banner) => {
    shown.set(name, banner);
    element.replaceChildren(...[...shown.values()].filter(Boolean));
  };
  on("connection", ({ state }) => set("offline", state === "offline" ? offline() : null));
  on("session-opened", () => ["refused", "waits", "gap"].forEach((name) => set(name, null)));
  const posts = new StuckPosts((stuck) => set("posts", stuckBanner(stuck, () => posts.look())));
  on("sent", () => set("refused", null));
  on(
    "outbox-refused",
    ({ entry }) =>
      set(
        "refused",
        refused(entry, () => set("refused", null)),
      ),
  );
  on("session-changed", (changed) => {
    if (changed.includes("notices")) set("waits", waiting(openSession.pendingNotices));
    if (changed.includes("gap"))
      set(
        "gap",
        gap(openSession.gap, () => set("gap", null)),
      );
  });
}

function offline() {
  const text =
    "You can go on writing. It is kept here and sent once, when the server is back. Jobs go on running there.";
  return banner(
    "",
    "unplug",
    [text],
    el("button", { class: "button button--small", type: "button", text: "Try now", onclick: retryNow }),
  );
}

function refused(entry, dismiss) {
  const words = [el("b", { text: "Not sent." }), ` ${entry.refused} Your text is still in the box.`];
  return banner("banner--fail", "fail", words, iconButton("cross", "Dismiss", dismiss, "button--small"));
}

// Notices that wait for a turn to end need no banner.
function waiting(notices) {
  const stuck = notices.filter((notice) => notice.why !== "busy");
  if (!stuck.length) return null;
  const [{ why, until }] = stuck;
  const isOne = stuck.length === 1;
  const many = el("b", { text: `${count(stuck.length, "job")} ${isOne ? "has reported and waits" : "have reported and wait"}` });
  if (why === "budget") {
    const when = until ? `until ${clock(new Date(until))}, or until your next message` : "until your next message";
    const why = `: the hourly limit of wake-ups is reached. ${isOne ? "It waits" : "They wait"} ${when}.`;
    return banner("banner--wake", "wake", [many, why]);
  }
  if (why === "spend") return spendBanner(many, isOne);
  if (why === "blocked") {
    const change = el("button", {
      class: "button button--small",
      type: "button",
      text: "Change model",
      onclick: () => emit("change-model"),
    });
    const words = `. The last wake-up failed for lack of credit or a key; ${isOne ? "it goes" : "they go"} on when a turn succeeds or the model changes.`;
    return banner("banner--wake", "wake", [many, words], change);
  }
  return banner("banner--wake", "wake", [many, `: you stopped this session. ${isOne ? "It comes" : "They come"} with your next message.`]);
}

// `look()` shows what has become of the posts.
function stuckBanner(posts, look) {
  const words = stuckWords(posts);
  if (!words) return null;
  const refused = posts.filter((post) => post.state === "refused");
  const text = [el("b", { text: words.title }), ` ${words.text} `, doorsLink()];
  if (!refused.length) return banner("", "lost", text);
  const button = (name, act) => el("button", { class: "button button--small", type: "button", text: name, onclick: () => decide(refused, act, look) });
  return banner("banner--fail", "fail", text, el("span", { class: "banner__acts" }, button("Send again", retryPost), button("Drop", dropPost)));
}

function doorsLink() {
  return el("a", { href: `${SETTINGS}#doors`, text: "All doors", onclick: (event) => followLink(event, () => openSettings("doors")) });
}

async function decide(posts, act, look) {
  try {
    await Promise.all(posts.map(act));
  } catch (error) {
    emit("toast", { kind: "fail", title: "Not all of it worked", text: error.message });
  }
  await look();
}

function gap({ from, to }, dismiss) {
  const words = `Events ${from} to ${to} were trimmed from the log. What you see is the stored text, complete.`;
  return banner("", "info", [words], iconButton("cross", "Dismiss", dismiss, "button--small"));
}
