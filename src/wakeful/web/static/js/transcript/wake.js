// A wake-up: a card, never something that a person typed. One for each notice, or one for several that came together.

import { el, icon } from "../dom.js";
import { openSession } from "../session/state.js";
import { sessionPath } from "../router.js";
import { stateChip } from "./state_chip.js";
import { noticeIcon } from "./turn_words.js";
import { wakeFold } from "./wake_fold.js";
import { groupTitle, wakeHow, wakeState, wakeTitle, wakeWhen } from "./wake_words.js";

export class WakeView {
  #shown = "";

  constructor() {
    this.element = el("section", { class: "wake" });
  }

  update({ messages }) {
    const shown = JSON.stringify(messages.map(({ id, notice }) => [id, notice]));
    if (shown === this.#shown) return;
    this.#shown = shown;
    const [first] = messages;
    this.element.dataset.message = first.id;
    this.element.id = `wake-${first.notice.task_id}`;
    this.element.classList.toggle("wake--lost", messages.length === 1 && first.notice.status === "lost");
    this.element.setAttribute("aria-label", `Wake-up: ${messages.length > 1 ? groupTitle(messages) : label(first)}`);
    const isOwnTurn = first.notice.delivered === "opened";
    const node = isOwnTurn ? null : el("span", { class: "wake__node" }, icon(noticeIcon(first)));
    this.element.replaceChildren(
      ...[node, ...(messages.length > 1 ? several(messages) : single(first))].filter(Boolean),
    );
  }
}

function label(message) {
  const { id, verb } = wakeTitle(message);
  return `${id} ${verb}, ${wakeState(message).words}`;
}

function single(message) {
  const { id, verb } = wakeTitle(message);
  const head = el(
    "div",
    { class: "wake__head" },
    el("h3", { class: "wake__title" }, el("span", { class: "mono", text: id }), ` ${verb}`),
    stateChip(wakeState(message)),
    wakeWhen(message) && el("span", { class: "wake__when", text: wakeWhen(message) }),
    el("span", { class: "wake__how", text: wakeHow(message) }),
  );
  const lost =
    message.notice.status === "lost" &&
    el("p", { class: "wake__what", text: "Its machine died or was restarted. The output up to then is kept." });
  return [head, what(message), lost, wakeFold(message)];
}

function what({ source, notice }) {
  if (source === "delegation_wakeup") {
    const child = openSession.tasks.get(notice.task_id)?.child_session_id;
    const link = child && el("a", { href: sessionPath(child), "data-session": child, text: "Open its session" });
    return el("p", { class: "wake__what" }, notice.command.split("\n")[0], link ? " " : null, link);
  }
  const watched =
    source === "watch_match" && notice.pattern ? [", watched for ", el("code", { text: notice.pattern })] : [];
  return el("p", { class: "wake__what" }, el("code", { text: notice.command }), ...watched);
}

function several(messages) {
  const head = el(
    "div",
    { class: "wake__head" },
    el("h3", { class: "wake__title", text: groupTitle(messages) }),
    el("span", { class: "wake__how", text: wakeHow(messages[0]) }),
  );
  const rows = messages.map((message) => {
    const { id } = wakeTitle(message);
    return wakeFold(message, `${id} ${message.notice.command.split("\n")[0]}`, stateChip(wakeState(message, true)));
  });
  return [head, ...rows];
}
