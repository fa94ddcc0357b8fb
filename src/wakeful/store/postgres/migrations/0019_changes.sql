-- What calls have changed in files, so that it can be taken back.

-- Written before the file is. The content before is a file in the server's folder on the machine `host`.
CREATE TABLE changes (
    session_id       TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    turn_id          TEXT COLLATE "C" NOT NULL,
    step             INTEGER NOT NULL,
    idx              INTEGER NOT NULL,
    call_id          TEXT COLLATE "C" NOT NULL,
    root_session_id  TEXT COLLATE "C" NOT NULL,
    root_turn_id     TEXT COLLATE "C" NOT NULL,
    host             TEXT COLLATE "C" NOT NULL,
    path             BYTEA NOT NULL,
    shown            BYTEA NOT NULL,
    before           TEXT COLLATE "C" NOT NULL,
    after            TEXT COLLATE "C" NOT NULL,
    undoable         BOOLEAN NOT NULL,
    added            INTEGER NOT NULL,
    removed          INTEGER NOT NULL,
    written_at       DOUBLE PRECISION NOT NULL,
    state            TEXT COLLATE "C" NOT NULL DEFAULT 'made',
    PRIMARY KEY (turn_id, step, idx)
);

CREATE INDEX changes_by_session ON changes (session_id, written_at);
CREATE INDEX changes_by_root ON changes (root_session_id, written_at);
CREATE INDEX changes_by_root_turn ON changes (root_turn_id);
CREATE INDEX changes_by_age ON changes (host, written_at);
