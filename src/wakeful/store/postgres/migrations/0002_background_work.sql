-- Background work: who watches a task, how it is started again, what it said; and what waits for a person's leave.

ALTER TABLE sessions
    ADD COLUMN title          TEXT NOT NULL DEFAULT '',
    ADD COLUMN task_id        TEXT COLLATE "C",
    ADD COLUMN message_count  BIGINT NOT NULL DEFAULT 0;

-- Not by updated_at: an append would then touch the index.
CREATE INDEX sessions_by_owner ON sessions (owner) WHERE task_id IS NULL;
CREATE INDEX sessions_by_task ON sessions (task_id) WHERE task_id IS NOT NULL;

ALTER TABLE turns ADD COLUMN message_id TEXT NOT NULL DEFAULT '';

ALTER TABLE journal ADD COLUMN at DOUBLE PRECISION NOT NULL DEFAULT 0;

UPDATE sessions SET message_count = (
    SELECT count(*) FROM turns t JOIN journal j ON j.turn_id = t.id
    WHERE t.session_id = sessions.id AND t.status <> 'running'
);

-- The words of a journal entry. A NUL, which text cannot hold here, is left out: it is \u0000 in the payload, unless
-- its backslash is itself escaped.
CREATE FUNCTION wakeful_text(payload BYTEA) RETURNS TEXT LANGUAGE sql IMMUTABLE AS
    $$ SELECT regexp_replace(convert_from(payload, 'UTF8'), '(?<!\\)((\\\\)*)\\u0000', '\1', 'g')::JSON ->> 'text' $$;

ALTER TABLE tasks
    ADD COLUMN part              INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN is_inline         BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN spec              BYTEA NOT NULL DEFAULT '{}',
    ADD COLUMN watch             BYTEA NOT NULL DEFAULT '{}',
    ADD COLUMN attempt           INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN node              TEXT COLLATE "C",
    ADD COLUMN child_session_id  TEXT COLLATE "C",
    ADD COLUMN result            BYTEA NOT NULL DEFAULT '',
    DROP CONSTRAINT tasks_turn_id_step_idx_key,
    ADD UNIQUE (turn_id, step, idx, part);

CREATE INDEX tasks_by_owner ON tasks (owner, started_at);
CREATE INDEX tasks_running_by_node ON tasks (node) WHERE status = 'running';
CREATE INDEX tasks_running_by_session ON tasks (session_id) WHERE status = 'running';

CREATE TABLE approvals (
    session_id  TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    turn_id     TEXT COLLATE "C" NOT NULL,
    step        INTEGER NOT NULL,
    idx         INTEGER NOT NULL,
    call_id     TEXT COLLATE "C" NOT NULL,
    command     BYTEA NOT NULL,
    danger      TEXT COLLATE "C" NOT NULL,
    reason      BYTEA NOT NULL,
    expires_at  DOUBLE PRECISION NOT NULL,
    task_id     TEXT COLLATE "C",
    choice      TEXT,
    created_at  DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (turn_id, step, idx)
);

CREATE INDEX approvals_open ON approvals (session_id) WHERE choice IS NULL;
CREATE INDEX approvals_by_call ON approvals (session_id, call_id);

-- Of a session or of an owner: the other one is empty.
CREATE TABLE allowances (
    danger      TEXT COLLATE "C" NOT NULL,
    session_id  TEXT COLLATE "C" NOT NULL,
    owner       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (danger, session_id, owner)
);

-- Machines, and when a node on them last renewed its lease.
CREATE TABLE hosts (
    id       TEXT COLLATE "C" PRIMARY KEY,
    seen_at  DOUBLE PRECISION NOT NULL
);
