-- Questions name all of their reasons; grants cover one kind, in a session or in a folder, and say what they allow.

ALTER TABLE approvals ADD COLUMN tool TEXT NOT NULL DEFAULT 'terminal';
-- JSON: a list of {kind, reason, path, excerpt}.
ALTER TABLE approvals ADD COLUMN dangers BLOB NOT NULL DEFAULT x'5B5D';
ALTER TABLE approvals ADD COLUMN preview BLOB NOT NULL DEFAULT x'';
-- What a grant of the folder would cover, and until when.
ALTER TABLE approvals ADD COLUMN folder TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN granted_until REAL NOT NULL DEFAULT 0;

-- What was asked before the upgrade can be answered after it, but not for a folder: that has not been resolved.
-- To end the server is one of the ways to touch it now, which can be allowed once only.
UPDATE approvals SET dangers = CAST(json_array(json_object(
    'kind', CASE danger WHEN 'kill_server' THEN 'home' ELSE danger END,
    'reason', CAST(reason AS TEXT), 'path', NULL, 'excerpt', ''
)) AS BLOB);

ALTER TABLE approvals DROP COLUMN danger;
ALTER TABLE approvals DROP COLUMN reason;

CREATE INDEX approvals_waiting ON approvals (expires_at) WHERE choice IS NULL;

-- Of a session or of a folder: the other one is empty.
CREATE TABLE grants (
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
    UNIQUE (owner, kind, session_id, folder)
) WITHOUT ROWID;

CREATE INDEX grants_by_session ON grants (session_id) WHERE session_id <> '';

-- What was allowed in a session goes on to hold there, unless it can be allowed once only now. What was allowed
-- everywhere is forgotten.
INSERT INTO grants (id, owner, kind, session_id, folder, created_at, example)
SELECT 'gnt_' || lower(hex(randomblob(16))), s.owner, a.danger, s.id, '', s.created_at, x''
FROM allowances a JOIN sessions s ON s.id = a.session_id
WHERE a.danger NOT IN ('kill_server', 'unclear');

DROP TABLE allowances;
