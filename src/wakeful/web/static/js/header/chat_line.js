// Which chat on a messaging platform the open session belongs to.

import { on } from "../bus.js";
import { el, icon } from "../dom.js";
import { isPlatform, placeWords } from "../doors/platforms.js";
import { openSession } from "../session/state.js";

export function chatLine() {
  const words = el("span", { class: "chat-line__words" });
  const hint = "This session belongs to that chat. What you write here is answered here only.";
  const element = el("span", { class: "chat-line", title: hint, hidden: true }, icon("chat"), el("span", { class: "sr-only", text: "Chat: " }), words);
  const draw = () => {
    const { session } = openSession;
    element.hidden = !session || !isPlatform(session.platform);
    const place = element.hidden ? "" : placeWords(session);
    if (words.textContent !== place) words.textContent = place;
  };
  on("session-opened", draw);
  on("session-changed", draw);
  return element;
}
