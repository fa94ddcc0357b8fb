-- The OpenAI-compatible API: what was asked of a turn, conversations, and keys that make a request happen once.

ALTER TABLE turns ADD COLUMN request BLOB NOT NULL DEFAULT x'7b7d';
-- The client has deleted the response that this turn is; the conversation keeps it.
ALTER TABLE turns ADD COLUMN is_hidden INTEGER NOT NULL DEFAULT 0;

-- A session made for a single response is of no interest in a list.
ALTER TABLE sessions ADD COLUMN is_listed INTEGER NOT NULL DEFAULT 1;

CREATE TABLE conversations (
    id          TEXT PRIMARY KEY,
    owner       TEXT NOT NULL,
    -- Empty: it has none. Names are private to their owner.
    name        TEXT NOT NULL DEFAULT '',
    session_id  TEXT NOT NULL REFERENCES sessions (id),
    metadata    BLOB NOT NULL,
    created_at  REAL NOT NULL
) WITHOUT ROWID;

CREATE UNIQUE INDEX conversations_by_name ON conversations (owner, name) WHERE name <> '';
CREATE INDEX conversations_by_session ON conversations (session_id);

CREATE TABLE idempotency_keys (
    owner        TEXT NOT NULL,
    key          TEXT NOT NULL,
    fingerprint  TEXT NOT NULL,
    turn_id      TEXT NOT NULL,
    created_at   REAL NOT NULL,
    PRIMARY KEY (owner, key)
) WITHOUT ROWID;
