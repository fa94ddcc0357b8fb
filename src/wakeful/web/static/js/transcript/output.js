// Output with terminal colours, never as markup. Long output is cut until the reader asks for all of it; output that
// only the server has cut is fetched at once.

import { ansiFragment } from "../ansi/writer.js";
import { emit } from "../bus.js";
import { el } from "../dom.js";
import { whole } from "../format.js";

const MOST = 20_000;

// `fetchAll` fetches output that the server has cut; `size` is its full length.
export function outputView(text, label, fetchAll = null, size = text.length) {
  const isLong = text.length > MOST;
  const log = el(
    "pre",
    { class: "log", tabindex: 0, "aria-label": label },
    ansiFragment(isLong ? text.slice(0, MOST) : text),
  );
  if (!isLong && !fetchAll) return log;
  const showAll = async (isWanted) => {
    more.disabled = true;
    try {
      log.replaceChildren(ansiFragment(fetchAll ? await fetchAll() : text));
      more.remove();
      if (isWanted) log.focus();
    } catch (error) {
      more.disabled = false;
      emit("toast", { kind: "fail", title: "The rest was not loaded", text: error.message });
    }
  };
  const more = el("button", {
    class: "button button--small",
    type: "button",
    text: `Show all ${whole(size)} characters`,
    onclick: () => showAll(true),
  });
  if (fetchAll && size <= MOST) showAll(false);
  return el("div", { class: "output" }, log, more);
}
