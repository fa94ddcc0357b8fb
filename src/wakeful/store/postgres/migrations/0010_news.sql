-- News: ends, matches, questions and failures, numbered for each owner across their sessions. What happened is in the
-- log of the session; a row here says where. The row of the counter stays locked until the commit, so that numbers
-- become visible in their order: a reader that has seen one has seen all before it.

CREATE TABLE news_counters (
    owner  TEXT PRIMARY KEY,
    last   BIGINT NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE news (
    owner        TEXT NOT NULL,
    number       BIGINT NOT NULL,
    session_id   TEXT COLLATE "C" NOT NULL,
    session_seq  BIGINT NOT NULL,
    at           DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (owner, number)
);

CREATE INDEX news_by_session ON news (session_id);
CREATE INDEX news_by_time ON news (at);

CREATE INDEX tasks_running_by_owner ON tasks (owner) WHERE status = 'running';
