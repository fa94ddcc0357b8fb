-- Messaging platforms and schedules. Texts that people and models write are bytes, because text can hold what a
-- database refuses.

-- Who wrote the message that all this goes back to, and where exactly: JSON, empty where no platform is involved.
ALTER TABLE inbox ADD COLUMN sender BLOB NOT NULL DEFAULT x'';
ALTER TABLE turns ADD COLUMN sender BLOB NOT NULL DEFAULT x'';
ALTER TABLE tasks ADD COLUMN sender BLOB NOT NULL DEFAULT x'';

ALTER TABLE sessions ADD COLUMN chat_key TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN chat_name TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_by_chat_key ON sessions (chat_key) WHERE chat_key <> '';
CREATE INDEX sessions_by_platform ON sessions (platform) WHERE platform IN ('telegram', 'discord', 'slack');

-- A key points to the session that its messages go to now.
CREATE TABLE chats (
    key              TEXT PRIMARY KEY,
    platform         TEXT NOT NULL,
    kind             TEXT NOT NULL,
    chat_id          TEXT NOT NULL,
    thread_id        TEXT NOT NULL,
    session_id       TEXT NOT NULL,
    name             TEXT NOT NULL,
    last_message_id  TEXT NOT NULL,
    last_at          REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX chats_by_session ON chats (session_id);
CREATE INDEX chats_by_platform ON chats (platform, last_at);
CREATE INDEX chats_by_place ON chats (platform, chat_id);

-- Messages that were taken in, whichever session they went to: a platform may hand one out twice.
CREATE TABLE taken_messages (
    platform    TEXT NOT NULL,
    chat_id     TEXT NOT NULL,
    message_id  TEXT NOT NULL,
    thread_id   TEXT NOT NULL,
    at          REAL NOT NULL,
    PRIMARY KEY (platform, chat_id, message_id)
) WITHOUT ROWID;

CREATE INDEX taken_messages_by_age ON taken_messages (at);

CREATE TABLE posts (
    id            TEXT PRIMARY KEY,
    key           TEXT NOT NULL UNIQUE,
    position      INTEGER NOT NULL,
    part          INTEGER NOT NULL,
    platform      TEXT NOT NULL,
    chat_id       TEXT NOT NULL,
    thread_id     TEXT NOT NULL,
    sender        BLOB NOT NULL,
    kind          TEXT NOT NULL,
    session_id    TEXT,
    turn_id       TEXT,
    wanted        BLOB NOT NULL,
    shown         BLOB NOT NULL,
    state         TEXT NOT NULL,
    tries         INTEGER NOT NULL,
    message_id    TEXT NOT NULL,
    is_marked     INTEGER NOT NULL,
    is_plain      INTEGER NOT NULL,
    highest_id    INTEGER NOT NULL,
    error         TEXT NOT NULL,
    details       BLOB NOT NULL,
    not_before    REAL NOT NULL,
    attempted_at  REAL,
    sent_at       REAL,
    created_at    REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX posts_at_work ON posts (platform, position, part)
    WHERE state IN ('waiting', 'sending', 'unknown') OR (state = 'sent' AND wanted <> shown);
CREATE INDEX posts_by_turn ON posts (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX posts_by_session ON posts (session_id, position) WHERE session_id IS NOT NULL;
CREATE INDEX posts_by_position ON posts (position, part);
CREATE INDEX posts_not_out ON posts (state, position, part)
    WHERE state IN ('waiting', 'sending', 'unknown', 'refused');
CREATE INDEX posts_over ON posts (created_at) WHERE state IN ('sent', 'refused', 'dropped');

-- Webhooks are posts from now on: what is still owed to receivers, and what was given up.
INSERT INTO posts (id, key, position, part, platform, chat_id, thread_id, sender, kind, session_id, turn_id, wanted, shown,
                   state, tries, message_id, is_marked, is_plain, highest_id, error, details, not_before, created_at)
SELECT 'post_' || lower(hex(randomblob(10))), id, row_number() OVER (ORDER BY due_at, id), 0, 'webhook', endpoint,
       event_id, x'', 'event', NULL, 'turn_' || substr(event_id, 5), body, x'',
       CASE WHEN is_given_up THEN 'refused' ELSE 'waiting' END, tries, '', FALSE, FALSE, 0, error, CAST('{}' AS BLOB), due_at,
       json_extract(CAST(body AS TEXT), '$.created_at')
FROM webhook_deliveries;
DROP TABLE webhook_deliveries;

-- How far the log of a session has been made into posts.
CREATE TABLE outbox_cursors (
    session_id  TEXT PRIMARY KEY,
    seq         INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE pairings (
    platform   TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    name       TEXT NOT NULL,
    code       TEXT NOT NULL,
    asked_at   REAL NOT NULL,
    paired_at  REAL,
    PRIMARY KEY (platform, user_id)
) WITHOUT ROWID;

CREATE INDEX pairings_by_code ON pairings (code) WHERE code <> '';

-- One node holds the door of a platform and says how the door is doing; what the door has to remember outlives it.
CREATE TABLE platform_doors (
    platform  TEXT PRIMARY KEY,
    node      TEXT,
    state     TEXT NOT NULL DEFAULT 'connecting',
    since     REAL NOT NULL DEFAULT 0,
    bot       TEXT NOT NULL DEFAULT '',
    error     TEXT NOT NULL DEFAULT '',
    memory    BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE cron_jobs (
    id                TEXT PRIMARY KEY,
    owner             TEXT NOT NULL,
    name              TEXT NOT NULL,
    schedule          TEXT NOT NULL,
    timezone          TEXT NOT NULL,
    prompt            BLOB NOT NULL,
    platform          TEXT NOT NULL,
    chat_id           TEXT NOT NULL,
    thread_id         TEXT NOT NULL,
    model             TEXT NOT NULL,
    is_fresh          INTEGER NOT NULL,
    catch_up_seconds  REAL NOT NULL,
    status            TEXT NOT NULL,
    starts_at         REAL NOT NULL,
    next_at           REAL,
    last_at           REAL,
    created_at        REAL NOT NULL
) WITHOUT ROWID;

CREATE UNIQUE INDEX cron_jobs_by_name ON cron_jobs (owner, name) WHERE name <> '';
CREATE INDEX cron_jobs_due ON cron_jobs (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE cron_runs (
    job_id      TEXT NOT NULL,
    fire_at     REAL NOT NULL,
    is_manual   INTEGER NOT NULL,
    status      TEXT NOT NULL,
    started_at  REAL,
    session_id  TEXT NOT NULL,
    turn_id     TEXT NOT NULL,
    reason      TEXT NOT NULL,
    PRIMARY KEY (job_id, fire_at, is_manual)
) WITHOUT ROWID;

CREATE INDEX cron_runs_by_turn ON cron_runs (turn_id) WHERE turn_id <> '';
CREATE INDEX cron_runs_open ON cron_runs (job_id) WHERE status IN ('queued', 'running');
CREATE INDEX cron_runs_by_age ON cron_runs (fire_at);
CREATE INDEX cron_runs_by_session ON cron_runs (session_id);
