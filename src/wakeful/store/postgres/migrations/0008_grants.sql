-- Questions name all of their reasons; grants cover one kind, in a session or in a folder, and say what they allow.

ALTER TABLE approvals
    ADD COLUMN tool           TEXT NOT NULL DEFAULT 'terminal',
    -- JSON: a list of {kind, reason, path, excerpt}.
    ADD COLUMN dangers        BYTEA NOT NULL DEFAULT '[]',
    ADD COLUMN preview        BYTEA NOT NULL DEFAULT '',
    -- What a grant of the folder would cover, and until when.
    ADD COLUMN folder         TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN granted_until  DOUBLE PRECISION NOT NULL DEFAULT 0;

-- What was asked before the upgrade can be answered after it, but not for a folder: that has not been resolved.
-- To end the server is one of the ways to touch it now, which can be allowed once only.
UPDATE approvals SET dangers = convert_to(json_build_array(json_build_object(
    'kind', CASE danger WHEN 'kill_server' THEN 'home' ELSE danger END,
    'reason', convert_from(reason, 'UTF8'), 'path', NULL, 'excerpt', ''
))::TEXT, 'UTF8');

ALTER TABLE approvals DROP COLUMN danger, DROP COLUMN reason;

CREATE INDEX approvals_waiting ON approvals (expires_at) WHERE choice IS NULL;

-- Of a session or of a folder: the other one is empty.
CREATE TABLE grants (
    id            TEXT COLLATE "C" PRIMARY KEY,
    owner         TEXT COLLATE "C" NOT NULL,
    kind          TEXT COLLATE "C" NOT NULL,
    session_id    TEXT COLLATE "C" NOT NULL,
    folder        TEXT COLLATE "C" NOT NULL,
    created_at    DOUBLE PRECISION NOT NULL,
    expires_at    DOUBLE PRECISION,
    last_used_at  DOUBLE PRECISION,
    uses          BIGINT NOT NULL DEFAULT 0,
    example       BYTEA NOT NULL,
    UNIQUE (owner, kind, session_id, folder)
);

CREATE INDEX grants_by_session ON grants (session_id) WHERE session_id <> '';

-- What was allowed in a session goes on to hold there, unless it can be allowed once only now. What was allowed
-- everywhere is forgotten.
INSERT INTO grants (id, owner, kind, session_id, folder, created_at, example)
SELECT 'gnt_' || replace(gen_random_uuid()::TEXT, '-', ''), s.owner, a.danger, s.id, '', s.created_at, ''
FROM allowances a JOIN sessions s ON s.id = a.session_id
WHERE a.danger NOT IN ('kill_server', 'unclear');

DROP TABLE allowances;
