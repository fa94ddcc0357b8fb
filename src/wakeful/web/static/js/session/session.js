// Opens a session and keeps it current: a snapshot first, then the frames after it, and a snapshot again when frames
// are not enough. Emits `session-opened` {id}, `session-changed` [names of what changed], and `news` of all sessions.

import { api, ApiError, goToLogin } from "../api.js";
import { emit, on } from "../bus.js";
import { streamLost, streamOpened } from "../stream/connection.js";
import { Client } from "../stream/client.js";
import { applyFrame } from "./fold.js";
import { reload } from "./reload.js";
import { loadOlder } from "./snapshot.js";
import { emptyState, openSession } from "./state.js";

const PAGE = 100;
// A reader who scrolls back tends to go far.
const OLDER_PAGE = 200;
const EVERYTHING = ["session", "messages", "turns", "tasks", "works", "approvals", "queued", "notices", "todo"];
const AGAIN_MS = 2_000;

// Counts the sessions that were opened: responses for an earlier one are ignored.
let opening = 0;
let isFetching = false;
// Frames that arrived during the fetch of a snapshot, which may be older than they are.
let meanwhile = [];
// The session is followed once its snapshot is loaded.
let isLoaded = false;

const client = new Client(
  () => ({ session: isLoaded ? openSession.id : null, after: openSession.cursor }),
  (message) => HANDLERS[message.kind](message),
);

const HANDLERS = {
  frame: receive,
  news: ({ data, isShown, isLookedAt }) => emit("news", { news: JSON.parse(data), isShown, isLookedAt }),
  open: () => {
    streamOpened();
    refetchRows();
  },
  lost: streamLost,
  refused: ({ status }) => {
    if (status === 401) goToLogin();
    // One of the followed sessions is gone, perhaps ours.
    else if (status === 404) refresh();
  },
};

export function startSession() {
  on("route", ({ id }) => open(id));
  client.start();
}

export function retryNow() {
  client.hurry();
}

export async function open(id) {
  if (id && id === openSession.id && isLoaded) return;
  opening += 1;
  isLoaded = false;
  isFetching = false;
  Object.assign(openSession, emptyState(), { id });
  // Start the request before the page clears the other session.
  const arriving = id ? fetchSnapshot() : null;
  emit("session-opened", { id });
  emit("session-changed", EVERYTHING);
  if (id) await arriving;
  else client.follow();
}

export async function refresh() {
  if (openSession.id && !isFetching) await fetchSnapshot();
}

export async function fetchOlder() {
  const [first] = openSession.messages;
  if (!first || !openSession.hasMore) return;
  const mine = opening;
  const page = await api.get("/api/session", { ...snapshotQuery(), limit: OLDER_PAGE, before: first.id });
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
    const snapshot = await api.get("/api/session", snapshotQuery());
    if (mine === opening) take(snapshot);
  } catch (error) {
    if (mine === opening) fail(error);
  } finally {
    if (mine === opening) isFetching = false;
  }
  if (mine === opening && openSession.isStale) await fetchSnapshot();
}

// `short` cuts long results in the middle: most of them are never unfolded.
function snapshotQuery() {
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
  if (name === "session_row") return receiveRow(parsed.row);
  if (name === "session_gone") return emit("gone", parsed);
  if (!isLoaded || parsed.session_id !== openSession.id) return;
  const frame = { name, cursor, data: parsed };
  if (isFetching) meanwhile.push(frame);
  const changed = new Set(applyFrame(openSession, frame));
  if (changed.size) emit("session-changed", [...changed]);
  emit("frame", frame);
  mendStale();
}

// A row for the open session that is not loaded means that the session was restored.
function receiveRow(row) {
  emit("row", row);
  if (row.session_id === openSession.id && !isLoaded && !isFetching) fetchSnapshot();
}

// Frames have brought the messages; the rest can wait until the page is in view.
function mendStale() {
  if (openSession.isStale && isLoaded && !isFetching && !document.hidden) fetchSnapshot();
}

// The stream does not repeat rows that changed while it was down. A hidden page fetches them when it is shown.
let rowsAreOld = false;

function refetchRows() {
  rowsAreOld = document.hidden;
  if (!rowsAreOld) emit("rows-refetch");
}

document.addEventListener("visibilitychange", () => {
  if (rowsAreOld) refetchRows();
  mendStale();
});
