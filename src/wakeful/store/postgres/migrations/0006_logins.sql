-- Browsers that have logged in, and the one-time tokens by which they may. Of every secret only its digest is here.

CREATE TABLE logins (
    digest      TEXT PRIMARY KEY,
    principal   TEXT NOT NULL,
    created_at  DOUBLE PRECISION NOT NULL,
    -- Not of every request: that would be a write each.
    used_at     DOUBLE PRECISION NOT NULL,
    expires_at  DOUBLE PRECISION NOT NULL
);

CREATE INDEX logins_by_end ON logins (expires_at);

CREATE TABLE login_tickets (
    digest      TEXT PRIMARY KEY,
    principal   TEXT NOT NULL,
    created_at  DOUBLE PRECISION NOT NULL,
    -- Empty until it is used. It then stays until its end, so that a second use can be told from a wrong one.
    used_at     DOUBLE PRECISION,
    expires_at  DOUBLE PRECISION NOT NULL
);

CREATE INDEX login_tickets_by_end ON login_tickets (expires_at);
