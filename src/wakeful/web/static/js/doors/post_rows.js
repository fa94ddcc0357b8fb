// The rows of posts that have not arrived: refused ones can be sent again or dropped, waiting ones dropped.

import { api } from "../api.js";
import { el, icon } from "../dom.js";
import { duration } from "../format.js";
import { plainWords } from "../home/quote.js";
import { serverNow } from "../server_clock.js";
import { tick } from "../ticker.js";
import { sessionLink } from "./door_rows.js";
import { placeWords } from "./platforms.js";
import { POST_NAMES, POST_SIGNS, postWords } from "./post_words.js";
import { actButton } from "./sub_list.js";

const LONGEST = 160;

export function postEntries({ posts, platforms }, states) {
  const doors = new Map(platforms.map((door) => [door.name, door]));
  const wanted = posts.filter((post) => states.includes(post.state));
  return wanted.map((post) => ({ key: post.id, post, words: postWords(post, doors.get(post.platform), serverNow()) }));
}

// `after()` is called when one was sent again or dropped.
export function postRow({ post, words }, after) {
  const [kind, name] = POST_SIGNS[post.state];
  return [
    el("span", { class: `state state--${kind}` }, icon(name)),
    el("p", { class: "row__title row__title--wrap" }, `${POST_NAMES[post.state]}: `, el("span", { class: "quote", text: short(post.text) })),
    el("p", { class: "row__note row__note--wrap" }, `${placeWords(post)} · `, age(post), ` · ${words}`, post.session_id && [" · ", sessionLink(post.session_id)]),
    el("span", { class: "row__side" }, el("span", { class: "row__acts" }, acts(post).map((act) => actButton(act, after)))),
  ];
}

export function retryPost({ id }) {
  return api.post(`/api/outbox/${encodeURIComponent(id)}/retry`, {});
}

export function dropPost({ id }) {
  return api.post(`/api/outbox/${encodeURIComponent(id)}/drop`, {});
}

function acts(post) {
  const about = `“${short(post.text)}”`;
  const again = { words: "Send again", label: `Send again: ${about}`, done: "It is sent again.", run: () => retryPost(post) };
  const drop = { words: "Drop", label: `Drop: ${about}`, done: "Dropped.", run: () => dropPost(post) };
  return { refused: [again, drop], waiting: [drop] }[post.state] ?? [];
}

function age({ created_at: at }) {
  const element = el("span", { class: "num" });
  tick(element, at, (seconds) => `${duration(seconds)} ago`);
  return element;
}

function short(text) {
  const words = plainWords(text);
  return words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
}
