// Opens a session and keeps it: the snapshot first, then the frames after it, and the snapshot again when frames are
// not enough. Tells `session-opened` {id} and `session-changed` [names of what changed], and `news` of all sessions.

import { api, ApiError, goToLogin } from "../api.js";
import { emit, on } from "../bus.js";
import { lineLost, lineOpened } from "../stream/connection.js";
import { Client } from "../stream/client.js";
import { applyFrame } from "./fold.js";
import { reload } from "./reload.js";
import { loadOlder } from "./snapshot.js";
import { emptyState, openSession } from "./state.js";

const PAGE = 100;
// Who goes back goes far.
const OLDER_PAGE = 200;
const EVERYTHING = ["session", "messages", "turns", "tasks", "approvals", "queued", "notices"];
const AGAIN_MS = 2_000;

// Whatever is under way for a session that is no longer open is not looked at.
let opening = 0;
let isFetching = false;
// Frames that came while a snapshot was on its way: it may be older than they are.
let meanwhile = [];
// Until the snapshot is there, the session is not followed.
let isLoaded = false;

const client = new Client(
  () => ({ session: isLoaded ? openSession.id : null, after: openSession.cursor }),
  (told) => HEARD[told.kind](told),
);

const HEARD = {
  frame: receive,
  news: ({ data, isShown, isLookedAt }) => emit("news", { news: JSON.parse(data), isShown, isLookedAt }),
  open: () => {
    lineOpened();
    refetchRows();
  },
  lost: lineLost,
  refused: ({ status }) => {
    if (status === 401) goToLogin();
    // One of the sessions is gone; it may be ours.
    else if (status === 404) refresh();
  },
};

export function startSession() {
  on("route", ({ id }) => open(id));
  client.start();
}

export function hurryLine() {
  client.hurry();
}

export async function open(id) {
  if (id && id === openSession.id && isLoaded) return;
  opening += 1;
  isLoaded = false;
  isFetching = false;
  Object.assign(openSession, emptyState(), { id });
  // It is on its way while the page puts the other session away.
  const arriving = id ? fetchSnapshot() : null;
  emit("session-opened", { id });
  emit("session-changed", EVERYTHING);
  if (id) await arriving;
  else client.follow();
}

// A session that this page has just begun: there is nothing in it to be fetched before the first message is.
export async function refresh() {
  if (openSession.id && !isFetching) await fetchSnapshot();
}

export async function fetchOlder() {
  const [first] = openSession.messages;
  if (!first || !openSession.hasMore) return;
  const mine = opening;
  const page = await api.get("/api/session", { ...wanted(), limit: OLDER_PAGE, before: first.id });
  if (mine !== opening || openSession.messages[0] !== first) return;
  loadOlder(openSession, page);
  emit("session-changed", ["older"]);
}

async function fetchSnapshot() {
  const mine = opening;
  isFetching = true;
  openSession.isStale = false;
  meanwhile = [];
  try {
    const snapshot = await api.get("/api/session", wanted());
    if (mine === opening) take(snapshot);
  } catch (error) {
    if (mine === opening) fail(error);
  } finally {
    if (mine === opening) isFetching = false;
  }
  if (mine === opening && openSession.isStale) await fetchSnapshot();
}

// Of long results the ends: most of them are never unfolded.
function wanted() {
  return { session_id: openSession.id, limit: PAGE, short: 1 };
}

function take(snapshot) {
  reload(openSession, snapshot, meanwhile);
  meanwhile = [];
  if (!isLoaded) {
    isLoaded = true;
    client.follow();
  }
  emit("session-changed", EVERYTHING);
}

function fail(error) {
  if (error instanceof ApiError && error.status === 404) {
    isLoaded = false;
    client.follow();
    emit("session-missing", { id: openSession.id });
    return;
  }
  const mine = opening;
  if (!isLoaded) client.follow();
  emit("session-unreachable", { isLoaded });
  setTimeout(() => mine === opening && !isFetching && fetchSnapshot(), AGAIN_MS);
}

function receive({ name, cursor, data }) {
  const parsed = JSON.parse(data);
  if (name === "session_row") return hearRow(parsed.row);
  if (name === "session_gone") return emit("gone", parsed);
  if (!isLoaded || parsed.session_id !== openSession.id) return;
  const frame = { name, cursor, data: parsed };
  if (isFetching) meanwhile.push(frame);
  const changed = new Set(applyFrame(openSession, frame));
  if (changed.size) emit("session-changed", [...changed]);
  emit("frame", frame);
  mendStale();
}

// A session that was deleted and is told of again has been restored.
function hearRow(row) {
  emit("row", row);
  if (row.session_id === openSession.id && !isLoaded && !isFetching) fetchSnapshot();
}

// The frames have told what was said; whatever else has changed can wait until somebody looks.
function mendStale() {
  if (openSession.isStale && isLoaded && !isFetching && !document.hidden) fetchSnapshot();
}

// Rows that changed while there was no line are told to nobody. A hidden page asks when it is looked at.
let rowsAreOld = false;

function refetchRows() {
  rowsAreOld = document.hidden;
  if (!rowsAreOld) emit("rows-refetch");
}

document.addEventListener("visibilitychange", () => {
  if (rowsAreOld) refetchRows();
  mendStale();
});
