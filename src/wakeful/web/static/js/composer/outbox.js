// What was sent and not yet acknowledged. It is kept in the browser and sent until the server has it; its id makes that
// one message, however often it is sent and from whichever tab.
// Words that the server refused stay here until a page shows their session and takes them back.
// Tells `outbox-changed`, `outbox-sent` {entry, answer} and `outbox-refused` {entry}.

import { api, ApiError } from "../api.js";
import { emit, on } from "../bus.js";
import { newId } from "../new_id.js";
import { openSessionById } from "../router.js";
import { openSession } from "../session/state.js";
import { tabId } from "../tab_id.js";

const KEY = "wakeful.outbox";
const LOCK = "wakeful.outbox";
const AGAIN_MS = 3_000;

// {id, tab, session, text, ifBusy, at, withdraw?, refused?}: `session` is null for one that is still to be begun;
// `withdraw` is a queued turn whose words these were; `refused` is why the server did not take it.
export function put({ session, text, ifBusy, withdraw }) {
  const entry = { id: newId("msg"), tab: tabId(), session, text, ifBusy, at: Date.now(), withdraw };
  write([...entries(), entry]);
  flush();
  return entry;
}

export function entries() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    // Not ours, or cut off.
    return [];
  }
}

// One that the server does not have yet is taken back. False: it is too late.
export function takeBack(id) {
  if (sending === id || !entries().some((entry) => entry.id === id)) return false;
  write(entries().filter((entry) => entry.id !== id));
  return true;
}

export function startOutbox() {
  on("connection", ({ state }) => state === "live" && flush());
  addEventListener("online", flush);
  addEventListener("storage", ({ key }) => key === KEY && emit("outbox-changed"));
  // Whichever tab has sent it: the one in which it was written hears of it.
  on("outbox-changed", () => giveBack((entry) => entry.tab === tabId()));
  on("session-opened", giveBackHere);
  giveBackHere();
  flush();
}

let sending = null;
let isFlushing = false;
let timer = 0;

// In the order in which they were written; only one tab at a time, where the browser can tell.
export async function flush() {
  if (isFlushing) return;
  isFlushing = true;
  clearTimeout(timer);
  try {
    if (navigator.locks) await navigator.locks.request(LOCK, sendAll);
    else await sendAll();
  } finally {
    isFlushing = false;
    sending = null;
  }
  if (next()) timer = setTimeout(flush, AGAIN_MS);
}

async function sendAll() {
  for (let entry = next(); entry; entry = next()) {
    sending = entry.id;
    try {
      const answer = await send(entry);
      drop(entry);
      emit("outbox-sent", { entry, answer });
    } catch (error) {
      if (!(error instanceof ApiError) || isPassing(error)) return;
      write(entries().map((one) => (one.id === entry.id ? { ...one, refused: error.message } : one)));
    }
  }
}

function next() {
  return entries().find((entry) => !entry.refused);
}

const told = new Set();

function giveBackHere() {
  giveBack((entry) => entry.session === openSession.id);
}

function giveBack(isWanted) {
  for (const entry of entries().filter((one) => one.refused && isWanted(one))) {
    if (entry.session === openSession.id) {
      drop(entry);
      emit("outbox-refused", { entry });
    } else if (!told.has(entry.id)) {
      told.add(entry.id);
      const onAction = () => openSessionById(entry.session);
      emit("toast", { kind: "fail", title: "Not sent", text: entry.refused, action: "Show", onAction });
    }
  }
}

// What time may heal.
function isPassing({ status }) {
  return status === 401 || status === 429 || status >= 500;
}

async function send(entry) {
  const session = entry.session ?? (await begin(entry));
  if (entry.withdraw && !(await isWithdrawn(session, entry.withdraw))) return null;
  return api.post("/api/chat/start", {
    session_id: session,
    // Half of a character, as some keyboards leave it, is no text that could be sent.
    message: entry.text.toWellFormed?.() ?? entry.text,
    client_message_id: entry.id,
    if_busy: entry.ifBusy,
  });
}

// The first words make the session; from then on whatever this tab has written for it names it.
async function begin(entry) {
  const { session_id } = await api.post("/api/session/new", {});
  const isOurs = (one) => one.session === null && one.tab === entry.tab;
  write(entries().map((one) => (isOurs(one) ? { ...one, session: session_id } : one)));
  if (entry.tab === tabId()) emit("session-begun", { id: session_id });
  entry.session = session_id;
  return session_id;
}

// False when the queued words have had their turn meanwhile: then there is nothing left to say.
async function isWithdrawn(session, turnId) {
  try {
    await api.post("/api/chat/withdraw", { session_id: session, turn_id: turnId });
    return true;
  } catch (error) {
    if (error.code !== "not_queued") throw error;
    // Perhaps an earlier try of ours has taken it back: then no turn has it.
    const { messages, active } = await api.get("/api/session", { session_id: session, limit: 100 });
    return active?.turn_id !== turnId && !messages.some((message) => message.turn_id === turnId);
  }
}

function drop(entry) {
  write(entries().filter((one) => one.id !== entry.id));
}

function write(list) {
  localStorage.setItem(KEY, JSON.stringify(list));
  emit("outbox-changed");
}
