-- Background work: who watches a task, how it is started again, what it said; and what waits for a person's leave.

ALTER TABLE sessions ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN task_id TEXT;
ALTER TABLE sessions ADD COLUMN message_count INTEGER NOT NULL DEFAULT 0;

CREATE INDEX sessions_by_owner ON sessions (owner) WHERE task_id IS NULL;
CREATE INDEX sessions_by_task ON sessions (task_id) WHERE task_id IS NOT NULL;

ALTER TABLE turns ADD COLUMN message_id TEXT NOT NULL DEFAULT '';

ALTER TABLE journal ADD COLUMN at REAL NOT NULL DEFAULT 0;

UPDATE sessions SET message_count = (
    SELECT count(*) FROM turns t JOIN journal j ON j.turn_id = t.id
    WHERE t.session_id = sessions.id AND t.status <> 'running'
);

-- SQLite cannot change a unique key in place.
ALTER TABLE tasks RENAME TO tasks_before;

CREATE TABLE tasks (
    id                TEXT PRIMARY KEY,
    kind              TEXT NOT NULL,
    session_id        TEXT NOT NULL REFERENCES sessions (id),
    owner             TEXT NOT NULL,
    turn_id           TEXT NOT NULL,
    step              INTEGER NOT NULL,
    idx               INTEGER NOT NULL,
    host              TEXT NOT NULL,
    boot_id           TEXT NOT NULL,
    command           BLOB NOT NULL,
    door              TEXT NOT NULL,
    async_delivery    INTEGER NOT NULL,
    platform          TEXT NOT NULL,
    chat_id           TEXT NOT NULL,
    thread_id         TEXT NOT NULL,
    model             TEXT NOT NULL,
    will_notify       INTEGER NOT NULL,
    status            TEXT NOT NULL,
    exit_code         INTEGER,
    kill_intended     INTEGER NOT NULL DEFAULT 0,
    started_at        REAL NOT NULL,
    ended_at          REAL,
    part              INTEGER NOT NULL DEFAULT 0,
    is_inline         INTEGER NOT NULL DEFAULT 0,
    spec              BLOB NOT NULL DEFAULT x'7B7D',
    watch             BLOB NOT NULL DEFAULT x'7B7D',
    attempt           INTEGER NOT NULL DEFAULT 1,
    node              TEXT,
    child_session_id  TEXT,
    result            BLOB NOT NULL DEFAULT x'',
    UNIQUE (turn_id, step, idx, part)
) WITHOUT ROWID;

INSERT INTO tasks (id, kind, session_id, owner, turn_id, step, idx, host, boot_id, command, door, async_delivery,
                   platform, chat_id, thread_id, model, will_notify, status, exit_code, kill_intended, started_at,
                   ended_at)
SELECT id, kind, session_id, owner, turn_id, step, idx, host, boot_id, command, door, async_delivery,
       platform, chat_id, thread_id, model, will_notify, status, exit_code, kill_intended, started_at,
       ended_at
FROM tasks_before;

DROP TABLE tasks_before;

CREATE INDEX tasks_by_session ON tasks (session_id, started_at);
CREATE INDEX tasks_by_owner ON tasks (owner, started_at);
CREATE INDEX tasks_running ON tasks (host) WHERE status = 'running';
CREATE INDEX tasks_running_by_node ON tasks (node) WHERE status = 'running';
CREATE INDEX tasks_running_by_session ON tasks (session_id) WHERE status = 'running';

CREATE TABLE approvals (
    session_id  TEXT NOT NULL REFERENCES sessions (id),
    turn_id     TEXT NOT NULL,
    step        INTEGER NOT NULL,
    idx         INTEGER NOT NULL,
    call_id     TEXT NOT NULL,
    command     BLOB NOT NULL,
    danger      TEXT NOT NULL,
    reason      BLOB NOT NULL,
    expires_at  REAL NOT NULL,
    task_id     TEXT,
    choice      TEXT,
    created_at  REAL NOT NULL,
    PRIMARY KEY (turn_id, step, idx)
) WITHOUT ROWID;

CREATE INDEX approvals_open ON approvals (session_id) WHERE choice IS NULL;
CREATE INDEX approvals_by_call ON approvals (session_id, call_id);

-- Of a session or of an owner: the other one is empty.
CREATE TABLE allowances (
    danger      TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    owner       TEXT NOT NULL,
    PRIMARY KEY (danger, session_id, owner)
) WITHOUT ROWID;

-- Machines, and when a node on them last renewed its lease.
CREATE TABLE hosts (
    id       TEXT PRIMARY KEY,
    seen_at  REAL NOT NULL
) WITHOUT ROWID;
