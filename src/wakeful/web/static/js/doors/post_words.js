// What has become of a post, in words.

import { duration } from "../format.js";
import { isPlatform, platformTitle } from "./platforms.js";
import { sentence } from "./door_words.js";

export const POST_SIGNS = { waiting: ["off", "clock"], unknown: ["off", "lost"], refused: ["fail", "fail"] };
export const POST_NAMES = { waiting: "Waits", unknown: "Unknown", refused: "Refused" };

// `door` is that of its platform, as the server has it; undefined when it is not set up. `now` is the server's time.
export function postWords(post, door, now) {
  if (post.state === "refused") return refusedWords(post);
  if (post.state === "unknown") return "no answer came; it is being looked for";
  return waitingWords(post, door, now);
}

// "Telegram refused 2 posts of this session: Forbidden."; null when all have arrived or will.
export function stuckWords(posts) {
  const refused = posts.filter((post) => post.state === "refused");
  const unknown = posts.length - refused.length;
  if (refused.length) {
    const [{ platform, error }] = refused;
    return { title: `${platformTitle(platform)} refused ${many(refused.length)} of this session.`, text: sentence(error) };
  }
  if (!unknown) return null;
  const isOne = unknown === 1;
  const text = `${isOne ? "It is" : "They are"} being looked for; what is written later waits behind ${isOne ? "it" : "them"}.`;
  return { title: `It is not known whether ${many(unknown)} reached ${platformTitle(posts[0].platform)}.`, text };
}

function refusedWords({ error, message_id: shown }) {
  return shown ? `its last change was refused, what was sent before stays there: ${clause(error)}` : clause(error);
}

function waitingWords({ platform, error, not_before: at }, door, now) {
  // What goes elsewhere needs no door.
  if (isPlatform(platform) && door?.state !== "connected") {
    return `waits until ${platformTitle(platform)} is ${door ? "connected" : "set up again"}`;
  }
  const left = at ? (new Date(at) - now) / 1000 : 0;
  const words = left > 0 ? `waits for ${duration(Math.ceil(left))} more` : "waits for its turn";
  return error ? `${words}: ${clause(error)}` : words;
}

// Something else follows it in the same line.
function clause(words) {
  return sentence(words).replace(/\.$/, "");
}

function many(number) {
  return number === 1 ? "a post" : `${number} posts`;
}
