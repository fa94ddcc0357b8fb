-- Logins that can be listed: by which browser, and from where.

-- The cookie has another name now: no browser can use a login of before, and a list must not show it.
DELETE FROM logins;

ALTER TABLE logins ADD COLUMN browser TEXT NOT NULL DEFAULT '';
ALTER TABLE logins ADD COLUMN address TEXT NOT NULL DEFAULT '';

-- A fingerprint of what lets each principal in at each home: when it has changed, the logins made with it end.
CREATE TABLE login_seals (
    home       TEXT NOT NULL,
    principal  TEXT NOT NULL,
    seal       TEXT NOT NULL,
    PRIMARY KEY (home, principal)
);
