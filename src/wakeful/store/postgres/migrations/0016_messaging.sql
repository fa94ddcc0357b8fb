-- Messaging platforms and schedules. Texts that people and models write are bytes, because text can hold what a
-- database refuses.

-- Who wrote the message that all this goes back to, and where exactly: JSON, empty where no platform is involved.
ALTER TABLE inbox ADD COLUMN sender BYTEA NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN sender BYTEA NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN sender BYTEA NOT NULL DEFAULT '';

ALTER TABLE sessions ADD COLUMN chat_key TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN chat_name TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_by_chat_key ON sessions (chat_key) WHERE chat_key <> '';
CREATE INDEX sessions_by_platform ON sessions (platform) WHERE platform IN ('telegram', 'discord', 'slack');

-- A key points to the session that its messages go to now.
CREATE TABLE chats (
    key              TEXT COLLATE "C" PRIMARY KEY,
    platform         TEXT COLLATE "C" NOT NULL,
    kind             TEXT NOT NULL,
    chat_id          TEXT COLLATE "C" NOT NULL,
    thread_id        TEXT NOT NULL,
    session_id       TEXT COLLATE "C" NOT NULL,
    name             TEXT NOT NULL,
    last_message_id  TEXT NOT NULL,
    last_at          DOUBLE PRECISION NOT NULL
);

CREATE INDEX chats_by_session ON chats (session_id);
CREATE INDEX chats_by_platform ON chats (platform, last_at);
CREATE INDEX chats_by_place ON chats (platform, chat_id);

-- Messages that were taken in, whichever session they went to: a platform may hand one out twice.
CREATE TABLE taken_messages (
    platform    TEXT COLLATE "C" NOT NULL,
    chat_id     TEXT COLLATE "C" NOT NULL,
    message_id  TEXT COLLATE "C" NOT NULL,
    thread_id   TEXT NOT NULL,
    at          DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (platform, chat_id, message_id)
);

CREATE INDEX taken_messages_by_age ON taken_messages (at);

CREATE TABLE posts (
    id            TEXT COLLATE "C" PRIMARY KEY,
    key           TEXT COLLATE "C" NOT NULL UNIQUE,
    position      BIGINT NOT NULL,
    part          INTEGER NOT NULL,
    platform      TEXT COLLATE "C" NOT NULL,
    chat_id       TEXT COLLATE "C" NOT NULL,
    thread_id     TEXT NOT NULL,
    sender        BYTEA NOT NULL,
    kind          TEXT NOT NULL,
    session_id    TEXT COLLATE "C",
    turn_id       TEXT COLLATE "C",
    wanted        BYTEA NOT NULL,
    shown         BYTEA NOT NULL,
    state         TEXT NOT NULL,
    tries         INTEGER NOT NULL,
    message_id    TEXT COLLATE "C" NOT NULL,
    is_marked     BOOLEAN NOT NULL,
    is_plain      BOOLEAN NOT NULL,
    highest_id    BIGINT NOT NULL,
    error         TEXT NOT NULL,
    details       BYTEA NOT NULL,
    not_before    DOUBLE PRECISION NOT NULL,
    attempted_at  DOUBLE PRECISION,
    sent_at       DOUBLE PRECISION,
    created_at    DOUBLE PRECISION NOT NULL
);

CREATE INDEX posts_at_work ON posts (platform, position, part)
    WHERE state IN ('waiting', 'sending', 'unknown') OR (state = 'sent' AND wanted <> shown);
CREATE INDEX posts_by_turn ON posts (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX posts_by_session ON posts (session_id, position) WHERE session_id IS NOT NULL;
CREATE INDEX posts_by_position ON posts (position, part);
CREATE INDEX posts_not_out ON posts (state, position, part)
    WHERE state IN ('waiting', 'sending', 'unknown', 'refused');
CREATE INDEX posts_over ON posts (created_at) WHERE state IN ('sent', 'refused', 'dropped');
CREATE SEQUENCE post_positions;

-- Webhooks are posts from now on: what is still owed to receivers, and what was given up.
INSERT INTO posts (id, key, position, part, platform, chat_id, thread_id, sender, kind, session_id, turn_id, wanted, shown,
                   state, tries, message_id, is_marked, is_plain, highest_id, error, details, not_before, created_at)
SELECT 'post_' || left(md5(id), 20), id, nextval('post_positions'), 0, 'webhook', endpoint,
       event_id, '', 'event', NULL, 'turn_' || substr(event_id, 5), body, '',
       CASE WHEN is_given_up THEN 'refused' ELSE 'waiting' END, tries, '', FALSE, FALSE, 0, error, '{}', due_at,
       (convert_from(body, 'UTF8')::json ->> 'created_at')::double precision
FROM (SELECT * FROM webhook_deliveries ORDER BY due_at, id) owed;
DROP TABLE webhook_deliveries;

-- How far the log of a session has been made into posts.
CREATE TABLE outbox_cursors (
    session_id  TEXT COLLATE "C" PRIMARY KEY,
    seq         BIGINT NOT NULL
);

CREATE TABLE pairings (
    platform   TEXT COLLATE "C" NOT NULL,
    user_id    TEXT COLLATE "C" NOT NULL,
    name       TEXT NOT NULL,
    code       TEXT COLLATE "C" NOT NULL,
    asked_at   DOUBLE PRECISION NOT NULL,
    paired_at  DOUBLE PRECISION,
    PRIMARY KEY (platform, user_id)
);

CREATE INDEX pairings_by_code ON pairings (code) WHERE code <> '';

-- One node holds the door of a platform and says how the door is doing; what the door has to remember outlives it.
CREATE TABLE platform_doors (
    platform  TEXT COLLATE "C" PRIMARY KEY,
    node      TEXT COLLATE "C",
    state     TEXT NOT NULL DEFAULT 'connecting',
    since     DOUBLE PRECISION NOT NULL DEFAULT 0,
    bot       TEXT NOT NULL DEFAULT '',
    error     TEXT NOT NULL DEFAULT '',
    memory    BYTEA NOT NULL
);

CREATE TABLE cron_jobs (
    id                TEXT COLLATE "C" PRIMARY KEY,
    owner             TEXT NOT NULL,
    name              TEXT NOT NULL,
    schedule          TEXT NOT NULL,
    timezone          TEXT NOT NULL,
    prompt            BYTEA NOT NULL,
    platform          TEXT COLLATE "C" NOT NULL,
    chat_id           TEXT COLLATE "C" NOT NULL,
    thread_id         TEXT NOT NULL,
    model             TEXT NOT NULL,
    is_fresh          BOOLEAN NOT NULL,
    catch_up_seconds  DOUBLE PRECISION NOT NULL,
    status            TEXT NOT NULL,
    starts_at         DOUBLE PRECISION NOT NULL,
    next_at           DOUBLE PRECISION,
    last_at           DOUBLE PRECISION,
    created_at        DOUBLE PRECISION NOT NULL
);

CREATE UNIQUE INDEX cron_jobs_by_name ON cron_jobs (owner, name) WHERE name <> '';
CREATE INDEX cron_jobs_due ON cron_jobs (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE cron_runs (
    job_id      TEXT COLLATE "C" NOT NULL,
    fire_at     DOUBLE PRECISION NOT NULL,
    is_manual   BOOLEAN NOT NULL,
    status      TEXT NOT NULL,
    started_at  DOUBLE PRECISION,
    session_id  TEXT COLLATE "C" NOT NULL,
    turn_id     TEXT COLLATE "C" NOT NULL,
    reason      TEXT NOT NULL,
    PRIMARY KEY (job_id, fire_at, is_manual)
);

CREATE INDEX cron_runs_by_turn ON cron_runs (turn_id) WHERE turn_id <> '';
CREATE INDEX cron_runs_open ON cron_runs (job_id) WHERE status IN ('queued', 'running');
CREATE INDEX cron_runs_by_age ON cron_runs (fire_at);
CREATE INDEX cron_runs_by_session ON cron_runs (session_id);

