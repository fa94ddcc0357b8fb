-- What calls have changed in files, so that it can be taken back.

-- Written before the file is. The content before is a file in the server's folder on the machine `host`.
CREATE TABLE changes (
    session_id       TEXT NOT NULL REFERENCES sessions (id),
    turn_id          TEXT NOT NULL,
    step             INTEGER NOT NULL,
    idx              INTEGER NOT NULL,
    call_id          TEXT NOT NULL,
    root_session_id  TEXT NOT NULL,
    root_turn_id     TEXT NOT NULL,
    host             TEXT NOT NULL,
    path             BLOB NOT NULL,
    shown            BLOB NOT NULL,
    before           TEXT NOT NULL,
    after            TEXT NOT NULL,
    undoable         INTEGER NOT NULL,
    added            INTEGER NOT NULL,
    removed          INTEGER NOT NULL,
    written_at       REAL NOT NULL,
    state            TEXT NOT NULL DEFAULT 'made',
    PRIMARY KEY (turn_id, step, idx)
) WITHOUT ROWID;

CREATE INDEX changes_by_session ON changes (session_id, written_at);
CREATE INDEX changes_by_root ON changes (root_session_id, written_at);
CREATE INDEX changes_by_root_turn ON changes (root_turn_id);
CREATE INDEX changes_by_age ON changes (host, written_at);
