-- Browsers that have logged in, and the one-time tokens by which they may. Of every secret only its digest is here.

CREATE TABLE logins (
    digest      TEXT PRIMARY KEY,
    principal   TEXT NOT NULL,
    created_at  REAL NOT NULL,
    -- Not of every request: that would be a write each.
    used_at     REAL NOT NULL,
    expires_at  REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX logins_by_end ON logins (expires_at);

CREATE TABLE login_tickets (
    digest      TEXT PRIMARY KEY,
    principal   TEXT NOT NULL,
    created_at  REAL NOT NULL,
    -- Empty until it is used. It then stays until its end, so that a second use can be told from a wrong one.
    used_at     REAL,
    expires_at  REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX login_tickets_by_end ON login_tickets (expires_at);
