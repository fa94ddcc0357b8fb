// Messages that the server has not acknowledged. The browser keeps them and sends them until the server has them; by
// its id each stays a single message, however often and from whichever tab it is sent.
// A refused message stays here until a page shows its session and puts the text back into the message box.
// Emits `outbox-changed`, `outbox-sent` {entry, answer} and `outbox-refused` {entry}.

import { api, ApiError } from "../api.js";
import { emit, on } from "../bus.js";
import { newId, tabId } from "../ids.js";
import { openSessionById } from "../router.js";
import { openSession } from "../session/state.js";

const KEY = "wakeful.outbox";
const LOCK = "wakeful.outbox";
const AGAIN_MS = 3_000;

// {id, tab, session, text, files, ifBusy, at, mode?, withdraw?, refused?}: `session` is null until the first message has
// made the session; `mode` is the one that the session is to begin with; `withdraw` is the queued turn that this message
// replaces; `refused` is the server's reason.
export function put({ session, text, ifBusy, mode, withdraw, files = [] }) {
  const entry = { id: newId("msg"), tab: tabId(), session, text, ifBusy, at: Date.now(), mode, withdraw, files };
  write([...entries(), entry]);
  flush();
  return entry;
}

export function entries() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    // Written by something else, or cut off.
    return [];
  }
}

// Takes back a message that the server does not have yet. Returns false when it is too late.
export function takeBack(id) {
  if (sending === id || !entries().some((entry) => entry.id === id)) return false;
  write(entries().filter((entry) => entry.id !== id));
  return true;
}

export function startOutbox() {
  on("connection", ({ state }) => state === "live" && flush());
  addEventListener("online", flush);
  addEventListener("storage", ({ key }) => key === KEY && emit("outbox-changed"));
  // Any tab may have sent it; the tab in which it was written shows the refusal.
  on("outbox-changed", () => giveBack((entry) => entry.tab === tabId()));
  on("session-opened", giveBackHere);
  giveBackHere();
  flush();
}

let sending = null;
let isFlushing = false;
let timer = 0;

// Sends the messages in the order in which they were written, one tab at a time if the browser has locks.
async function flush() {
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
      if (!(error instanceof ApiError) || isTransient(error)) return;
      write(entries().map((one) => (one.id === entry.id ? { ...one, refused: error.message } : one)));
    }
  }
}

function next() {
  return entries().find((entry) => !entry.refused);
}

const shownRefusals = new Set();

function giveBackHere() {
  giveBack((entry) => entry.session === openSession.id);
}

function giveBack(isWanted) {
  for (const entry of entries().filter((one) => one.refused && isWanted(one))) {
    if (entry.session === openSession.id) {
      drop(entry);
      emit("outbox-refused", { entry });
    } else if (!shownRefusals.has(entry.id)) {
      shownRefusals.add(entry.id);
      const onAction = () => openSessionById(entry.session);
      emit("toast", { kind: "fail", title: "Not sent", text: entry.refused, action: "Show", onAction });
    }
  }
}

// Errors that may go away by themselves.
function isTransient({ status }) {
  return status === 401 || status === 429 || status >= 500;
}

async function send(entry) {
  const session = entry.session ?? (await begin(entry));
  if (entry.withdraw && !(await isWithdrawn(session, entry.withdraw))) return null;
  return api.post("/api/chat/start", {
    session_id: session,
    // Some keyboards leave half a surrogate pair, which cannot be encoded.
    message: entry.text.toWellFormed?.() ?? entry.text,
    client_message_id: entry.id,
    if_busy: entry.ifBusy,
    ...(entry.files?.length ? { attachments: entry.files.map(({ id }) => id) } : {}),
  });
}

// Makes the session for a first message, and gives its id to the other messages that this tab has written for it.
async function begin(entry) {
  const { session_id } = await api.post("/api/session/new", entry.mode ? { mode: entry.mode } : {});
  const isOurs = (one) => one.session === null && one.tab === entry.tab;
  write(entries().map((one) => (isOurs(one) ? { ...one, session: session_id } : one)));
  if (entry.tab === tabId()) emit("session-begun", { id: session_id });
  entry.session = session_id;
  return session_id;
}

// Returns false when the queued turn has already run: then there is nothing left to send.
async function isWithdrawn(session, turnId) {
  try {
    await api.post("/api/chat/withdraw", { session_id: session, turn_id: turnId });
    return true;
  } catch (error) {
    if (error.code !== "not_queued") throw error;
    // An earlier attempt of ours may have withdrawn it: then no turn has it.
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
