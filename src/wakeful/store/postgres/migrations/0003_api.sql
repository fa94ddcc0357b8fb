-- The OpenAI-compatible API: what was asked of a turn, conversations, and keys that make a request happen once.

ALTER TABLE turns ADD COLUMN request BYTEA NOT NULL DEFAULT '\x7b7d';
-- The client has deleted the response that this turn is; the conversation keeps it.
ALTER TABLE turns ADD COLUMN is_hidden BOOLEAN NOT NULL DEFAULT FALSE;

-- A session made for a single response is of no interest in a list.
ALTER TABLE sessions ADD COLUMN is_listed BOOLEAN NOT NULL DEFAULT TRUE;

CREATE TABLE conversations (
    id          TEXT PRIMARY KEY,
    owner       TEXT NOT NULL,
    -- Empty: it has none. Names are private to their owner.
    name        TEXT NOT NULL DEFAULT '',
    session_id  TEXT NOT NULL REFERENCES sessions (id),
    metadata    BYTEA NOT NULL,
    created_at  DOUBLE PRECISION NOT NULL
);

CREATE UNIQUE INDEX conversations_by_name ON conversations (owner, name) WHERE name <> '';
CREATE INDEX conversations_by_session ON conversations (session_id);

CREATE TABLE idempotency_keys (
    owner        TEXT NOT NULL,
    key          TEXT NOT NULL,
    fingerprint  TEXT NOT NULL,
    turn_id      TEXT NOT NULL,
    created_at   DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (owner, key)
);
