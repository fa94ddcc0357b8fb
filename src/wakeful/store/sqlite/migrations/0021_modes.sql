-- How much an agent may do without asking; empty: as the setting says.
ALTER TABLE sessions ADD COLUMN mode TEXT NOT NULL DEFAULT '';

-- What was allowed for a folder in a chat on a messaging platform holds for that chat only.
ALTER TABLE approvals ADD COLUMN chat_key TEXT NOT NULL DEFAULT '';
CREATE TABLE grants_of_chats (
    id            TEXT PRIMARY KEY,
    owner         TEXT NOT NULL,
    kind          TEXT NOT NULL,
    session_id    TEXT NOT NULL,
    folder        TEXT NOT NULL,
    created_at    REAL NOT NULL,
    expires_at    REAL,
    last_used_at  REAL,
    uses          INTEGER NOT NULL DEFAULT 0,
    example       BLOB NOT NULL,
    chat_key      TEXT NOT NULL DEFAULT '',
    UNIQUE (owner, kind, session_id, folder, chat_key)
) WITHOUT ROWID;
INSERT INTO grants_of_chats (id, owner, kind, session_id, folder, created_at, expires_at, last_used_at, uses, example)
SELECT id, owner, kind, session_id, folder, created_at, expires_at, last_used_at, uses, example FROM grants;
DROP TABLE grants;
ALTER TABLE grants_of_chats RENAME TO grants;
CREATE INDEX grants_by_session ON grants (session_id) WHERE session_id <> '';
