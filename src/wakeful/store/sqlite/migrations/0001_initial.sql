-- Times are seconds since 1970. Payloads are bytes, because text can hold what a database refuses.

CREATE TABLE sessions (
    id          TEXT PRIMARY KEY,
    owner       TEXT NOT NULL,
    platform    TEXT NOT NULL,
    chat_id     TEXT NOT NULL,
    thread_id   TEXT NOT NULL,
    model       TEXT NOT NULL,
    workspace   TEXT NOT NULL,
    head        TEXT,
    checkpoint  TEXT,
    active      TEXT,
    last_seq    INTEGER NOT NULL DEFAULT 0,
    is_held     INTEGER NOT NULL DEFAULT 0,
    is_blocked  INTEGER NOT NULL DEFAULT 0,
    wake_at     REAL,
    created_at  REAL NOT NULL,
    updated_at  REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX sessions_by_wake_at ON sessions (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE turns (
    id              TEXT PRIMARY KEY,
    session_id      TEXT NOT NULL REFERENCES sessions (id),
    parent          TEXT REFERENCES turns (id),
    door            TEXT NOT NULL,
    async_delivery  INTEGER NOT NULL,
    platform        TEXT NOT NULL,
    chat_id         TEXT NOT NULL,
    thread_id       TEXT NOT NULL,
    source          TEXT NOT NULL,
    is_wakeup       INTEGER NOT NULL,
    model           TEXT NOT NULL,
    status          TEXT NOT NULL,
    node            TEXT,
    epoch           INTEGER NOT NULL,
    resumes         INTEGER NOT NULL DEFAULT 0,
    last_seq        INTEGER NOT NULL DEFAULT 0,
    recorded_seq    INTEGER NOT NULL DEFAULT 0,
    attempt         INTEGER NOT NULL DEFAULT 0,
    workspace       TEXT NOT NULL,
    error           BLOB,
    opened_at       REAL NOT NULL,
    closed_at       REAL
) WITHOUT ROWID;

CREATE INDEX turns_by_session ON turns (session_id, opened_at);
-- Rule 1 of the design, held by the database itself: one active turn a session.
CREATE UNIQUE INDEX turns_running ON turns (session_id) WHERE status = 'running';

CREATE TABLE inbox (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id      TEXT NOT NULL REFERENCES sessions (id),
    dedupe_key      TEXT NOT NULL,
    kind            TEXT NOT NULL,
    source          TEXT NOT NULL,
    turn_id         TEXT NOT NULL UNIQUE,
    door            TEXT NOT NULL,
    async_delivery  INTEGER NOT NULL,
    platform        TEXT NOT NULL,
    chat_id         TEXT NOT NULL,
    thread_id       TEXT NOT NULL,
    model           TEXT NOT NULL,
    payload         BLOB NOT NULL,
    steers          INTEGER NOT NULL DEFAULT 0,
    is_urgent       INTEGER NOT NULL DEFAULT 0,
    not_before      REAL NOT NULL DEFAULT 0,
    status          TEXT NOT NULL DEFAULT 'pending',
    claimed_by      TEXT,
    created_at      REAL NOT NULL,
    UNIQUE (session_id, dedupe_key)
);

CREATE INDEX inbox_pending ON inbox (session_id, id) WHERE status = 'pending';

CREATE TABLE events (
    session_id   TEXT NOT NULL,
    session_seq  INTEGER NOT NULL,
    turn_id      TEXT,
    turn_seq     INTEGER,
    kind         TEXT NOT NULL,
    payload      BLOB NOT NULL,
    at           REAL NOT NULL,
    PRIMARY KEY (session_id, session_seq)
) WITHOUT ROWID;

CREATE UNIQUE INDEX events_of_turn ON events (turn_id, turn_seq) WHERE turn_id IS NOT NULL;

CREATE TABLE journal (
    turn_id  TEXT NOT NULL REFERENCES turns (id),
    step     INTEGER NOT NULL,
    idx      INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    payload  BLOB NOT NULL,
    PRIMARY KEY (turn_id, step, idx)
) WITHOUT ROWID;

-- A node renews one lease for all its turns; a turn's epoch says which of its nodes may still write to it.
CREATE TABLE nodes (
    id           TEXT PRIMARY KEY,
    lease_until  REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE tasks (
    id              TEXT PRIMARY KEY,
    kind            TEXT NOT NULL,
    session_id      TEXT NOT NULL REFERENCES sessions (id),
    owner           TEXT NOT NULL,
    turn_id         TEXT NOT NULL,
    step            INTEGER NOT NULL,
    idx             INTEGER NOT NULL,
    host            TEXT NOT NULL,
    boot_id         TEXT NOT NULL,
    command         BLOB NOT NULL,
    door            TEXT NOT NULL,
    async_delivery  INTEGER NOT NULL,
    platform        TEXT NOT NULL,
    chat_id         TEXT NOT NULL,
    thread_id       TEXT NOT NULL,
    model           TEXT NOT NULL,
    will_notify     INTEGER NOT NULL,
    status          TEXT NOT NULL,
    exit_code       INTEGER,
    kill_intended   INTEGER NOT NULL DEFAULT 0,
    started_at      REAL NOT NULL,
    ended_at        REAL,
    UNIQUE (turn_id, step, idx)
) WITHOUT ROWID;

CREATE INDEX tasks_by_session ON tasks (session_id, started_at);
CREATE INDEX tasks_running ON tasks (host) WHERE status = 'running';
