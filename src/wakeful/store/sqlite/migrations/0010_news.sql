-- News: ends, matches, questions and failures, numbered for each owner across their sessions. What happened is in the
-- log of the session; a row here says where.

CREATE TABLE news_counters (
    owner  TEXT PRIMARY KEY,
    last   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE news (
    owner        TEXT NOT NULL,
    number       INTEGER NOT NULL,
    session_id   TEXT NOT NULL,
    session_seq  INTEGER NOT NULL,
    at           REAL NOT NULL,
    PRIMARY KEY (owner, number)
) WITHOUT ROWID;

CREATE INDEX news_by_session ON news (session_id);
CREATE INDEX news_by_time ON news (at);

CREATE INDEX tasks_running_by_owner ON tasks (owner) WHERE status = 'running';
