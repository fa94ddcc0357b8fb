-- What turns are told before the conversation begins, and files that belong to messages.

-- What the last turn of a session was told, as JSON: a turn that goes on after a crash is told the same.
CREATE TABLE told (
    session_id  TEXT COLLATE "C" PRIMARY KEY REFERENCES sessions (id),
    told        BYTEA NOT NULL
);

CREATE TABLE attachments (
    id          TEXT COLLATE "C" PRIMARY KEY,
    owner       TEXT NOT NULL,
    -- NULL: it was uploaded for a session that does not exist yet.
    session_id  TEXT COLLATE "C" REFERENCES sessions (id) ON DELETE CASCADE,
    name        BYTEA NOT NULL,
    -- Told by the bytes.
    type        TEXT NOT NULL,
    size        BIGINT NOT NULL,
    -- Whether a message or a result has it. What was uploaded and never sent is dropped after a day.
    is_used     BOOLEAN NOT NULL,
    created_at  DOUBLE PRECISION NOT NULL
);
CREATE INDEX attachments_of_session ON attachments (session_id);
CREATE INDEX unused_attachments ON attachments (created_at) WHERE NOT is_used;

-- The bytes, in pieces, where several nodes share the database. A single node has them as files only.
CREATE TABLE attachment_pieces (
    attachment_id  TEXT COLLATE "C" NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
    number         INTEGER NOT NULL,
    data           BYTEA NOT NULL,
    PRIMARY KEY (attachment_id, number)
);
