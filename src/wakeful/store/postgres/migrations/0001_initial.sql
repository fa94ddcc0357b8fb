-- Times are seconds since 1970, by the server's clock. Payloads are bytes, because text can hold what a database
-- refuses. Names are compared byte by byte: no update of the system's locales can then spoil an index. Rows that
-- are updated all the time leave room on their page, so that an update touches no index.

-- The only source of time: one clock for all nodes.
CREATE FUNCTION wakeful_now() RETURNS DOUBLE PRECISION LANGUAGE sql VOLATILE AS
    $$ SELECT extract(epoch FROM clock_timestamp())::DOUBLE PRECISION $$;

CREATE TABLE sessions (
    id          TEXT COLLATE "C" PRIMARY KEY,
    owner       TEXT NOT NULL,
    platform    TEXT NOT NULL,
    chat_id     TEXT NOT NULL,
    thread_id   TEXT NOT NULL,
    model       TEXT NOT NULL,
    workspace   TEXT NOT NULL,
    head        TEXT COLLATE "C",
    checkpoint  TEXT COLLATE "C",
    active      TEXT COLLATE "C",
    last_seq    BIGINT NOT NULL DEFAULT 0,
    is_held     BOOLEAN NOT NULL DEFAULT FALSE,
    is_blocked  BOOLEAN NOT NULL DEFAULT FALSE,
    wake_at     DOUBLE PRECISION,
    created_at  DOUBLE PRECISION NOT NULL,
    updated_at  DOUBLE PRECISION NOT NULL
) WITH (fillfactor = 70);

CREATE INDEX sessions_by_wake_at ON sessions (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE turns (
    id              TEXT COLLATE "C" PRIMARY KEY,
    session_id      TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    parent          TEXT COLLATE "C" REFERENCES turns (id),
    door            TEXT NOT NULL,
    async_delivery  BOOLEAN NOT NULL,
    platform        TEXT NOT NULL,
    chat_id         TEXT NOT NULL,
    thread_id       TEXT NOT NULL,
    source          TEXT NOT NULL,
    is_wakeup       BOOLEAN NOT NULL,
    model           TEXT NOT NULL,
    status          TEXT NOT NULL,
    node            TEXT COLLATE "C",
    epoch           BIGINT NOT NULL,
    resumes         INTEGER NOT NULL DEFAULT 0,
    last_seq        BIGINT NOT NULL DEFAULT 0,
    recorded_seq    BIGINT NOT NULL DEFAULT 0,
    attempt         INTEGER NOT NULL DEFAULT 0,
    workspace       TEXT NOT NULL,
    error           BYTEA,
    opened_at       DOUBLE PRECISION NOT NULL,
    closed_at       DOUBLE PRECISION
) WITH (fillfactor = 70);

CREATE INDEX turns_by_session ON turns (session_id, opened_at);
-- Rule 1 of the design, held by the database itself: one active turn a session.
CREATE UNIQUE INDEX turns_running ON turns (session_id) WHERE status = 'running';

CREATE TABLE inbox (
    id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id      TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    dedupe_key      TEXT COLLATE "C" NOT NULL,
    kind            TEXT NOT NULL,
    source          TEXT NOT NULL,
    turn_id         TEXT COLLATE "C" NOT NULL UNIQUE,
    door            TEXT NOT NULL,
    async_delivery  BOOLEAN NOT NULL,
    platform        TEXT NOT NULL,
    chat_id         TEXT NOT NULL,
    thread_id       TEXT NOT NULL,
    model           TEXT NOT NULL,
    payload         BYTEA NOT NULL,
    steers          BOOLEAN NOT NULL DEFAULT FALSE,
    is_urgent       BOOLEAN NOT NULL DEFAULT FALSE,
    not_before      DOUBLE PRECISION NOT NULL DEFAULT 0,
    status          TEXT NOT NULL DEFAULT 'pending',
    claimed_by      TEXT COLLATE "C",
    created_at      DOUBLE PRECISION NOT NULL,
    UNIQUE (session_id, dedupe_key)
);

CREATE INDEX inbox_pending ON inbox (session_id, id) WHERE status = 'pending';

CREATE TABLE events (
    session_id   TEXT COLLATE "C" NOT NULL,
    session_seq  BIGINT NOT NULL,
    turn_id      TEXT COLLATE "C",
    turn_seq     BIGINT,
    kind         TEXT NOT NULL,
    payload      BYTEA NOT NULL,
    at           DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (session_id, session_seq)
);

CREATE UNIQUE INDEX events_of_turn ON events (turn_id, turn_seq) WHERE turn_id IS NOT NULL;

CREATE TABLE journal (
    turn_id  TEXT COLLATE "C" NOT NULL REFERENCES turns (id),
    step     INTEGER NOT NULL,
    idx      INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    payload  BYTEA NOT NULL,
    PRIMARY KEY (turn_id, step, idx)
);

-- A node renews one lease for all its turns; a turn's epoch says which of its nodes may still write to it.
CREATE TABLE nodes (
    id           TEXT COLLATE "C" PRIMARY KEY,
    lease_until  DOUBLE PRECISION NOT NULL
);

CREATE TABLE tasks (
    id              TEXT COLLATE "C" PRIMARY KEY,
    kind            TEXT NOT NULL,
    session_id      TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    owner           TEXT NOT NULL,
    turn_id         TEXT COLLATE "C" NOT NULL,
    step            INTEGER NOT NULL,
    idx             INTEGER NOT NULL,
    host            TEXT COLLATE "C" NOT NULL,
    boot_id         TEXT NOT NULL,
    command         BYTEA NOT NULL,
    door            TEXT NOT NULL,
    async_delivery  BOOLEAN NOT NULL,
    platform        TEXT NOT NULL,
    chat_id         TEXT NOT NULL,
    thread_id       TEXT NOT NULL,
    model           TEXT NOT NULL,
    will_notify     BOOLEAN NOT NULL,
    status          TEXT NOT NULL,
    exit_code       INTEGER,
    kill_intended   BOOLEAN NOT NULL DEFAULT FALSE,
    started_at      DOUBLE PRECISION NOT NULL,
    ended_at        DOUBLE PRECISION,
    UNIQUE (turn_id, step, idx)
);

CREATE INDEX tasks_by_session ON tasks (session_id, started_at);
CREATE INDEX tasks_running ON tasks (host) WHERE status = 'running';
