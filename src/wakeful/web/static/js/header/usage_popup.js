// Behind the meter: the context, what the session and the day have cost, and the button that sums up now.

import { api } from "../api.js";
import { on } from "../bus.js";
import { el, icon } from "../dom.js";
import { openPopup } from "../popup.js";
import { openSession } from "../session/state.js";
import { fetchToday, todayWords } from "../spending.js";
import { gauge } from "./gauge.js";
import { usageTable } from "./usage_table.js";
import { contextWords, usageRows } from "./usage_words.js";

const WIDTH = 276;

export function openUsage(anchor) {
  const numbers = el("div");
  const today = el("p", { class: "menu__note", text: "Today …" });
  const problem = el("p", { class: "menu__note usage__problem", role: "alert" });
  const button = el(
    "button",
    { class: "button button--small button--wide", type: "button", onclick: () => sumUp(problem, close) },
    icon("fold"),
    "Sum up older messages now",
  );
  const popup = el(
    "div",
    { class: "menu menu--floating usage-pop", role: "dialog", "aria-label": "Context and cost", tabindex: -1 },
    numbers,
    el("div", { class: "menu__pad" }, today),
    el("div", { class: "menu__pad usage__act" }, button, problem),
  );
  const costs = new SessionCosts(() => draw());
  const draw = () => {
    if (!popup.isConnected && numbers.childElementCount) return stop();
    if (openSession.session) numbers.replaceChildren(...numbersOf(openSession.session.usage, costs.of(openSession)));
    button.disabled = Boolean(openSession.activeTurn);
    button.title = button.disabled ? "Possible when this turn has ended" : "";
  };
  const stop = on("session-changed", draw);
  draw();
  const close = openPopup(anchor, popup, { focus: () => popup, alignsRight: true });
  showToday(today);
}

// What the answers cost by what was paid for; asked again when there are more of them.
class SessionCosts {
  #asked = "";
  #known = null;
  // What was asked for when they became known.
  #knownFor = "";
  #learnt;

  constructor(learnt) {
    this.#learnt = learnt;
  }

  // Null until they are known.
  of({ id, session: { usage } }) {
    const wanted = JSON.stringify([id, usage.input_tokens, usage.output_tokens]);
    if (wanted !== this.#asked) this.#ask(id, (this.#asked = wanted));
    return this.#known && { ...this.#known, isOld: wanted !== this.#knownFor };
  }

  async #ask(id, wanted) {
    // Without them the sums are shown, which the session has.
    const costs = await api.get("/api/session/costs", { session_id: id }).catch(() => null);
    if (wanted !== this.#asked) return;
    this.#known = costs;
    this.#knownFor = wanted;
    this.#learnt();
  }
}

function numbersOf(usage, costs) {
  const [context, mark] = contextWords(usage);
  const line = el("p", { class: "usage__line menu__note" }, el("span", { class: "num", text: context }), el("span", { text: mark }));
  return [
    el("p", { class: "menu__group", text: "Context" }),
    el("div", { class: "menu__pad" }, gauge(usage, WIDTH, "gauge--pop"), line),
    el("div", { class: "menu__pad" }, usageTable(usageRows(usage, costs))),
  ];
}

async function showToday(line) {
  try {
    line.textContent = todayWords(await fetchToday());
  } catch (error) {
    line.textContent = `What was spent today is not known: ${error.message}`;
  }
}

// The summary then stands in the transcript, as for every other reader of the session.
async function sumUp(problem, close) {
  problem.textContent = "";
  try {
    await api.post("/api/session/compact", { session_id: openSession.id });
    close();
  } catch (error) {
    problem.textContent = error.message;
  }
}
