-- Outgoing webhooks: what is owed to receivers. A row goes when its event has arrived; one that was given up stays.

CREATE TABLE webhook_deliveries (
    id           TEXT PRIMARY KEY,
    event_id     TEXT NOT NULL,
    -- The name of the receiver; its address and secret are in the settings only.
    endpoint     TEXT NOT NULL,
    body         BLOB NOT NULL,
    tries        INTEGER NOT NULL DEFAULT 0,
    due_at       REAL NOT NULL,
    -- How the last try failed.
    error        TEXT NOT NULL DEFAULT '',
    is_given_up  INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (due_at) WHERE NOT is_given_up;
