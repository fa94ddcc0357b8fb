-- The web page: how sessions stand in a list, what has been seen of them, and their end.

ALTER TABLE sessions ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0;
-- Deleted: hidden since it was set, and gone for good after this moment.
ALTER TABLE sessions ADD COLUMN purge_at REAL;
-- What could go is gone; turns that other sessions grow from are left.
ALTER TABLE sessions ADD COLUMN is_purged INTEGER NOT NULL DEFAULT 0;
-- The number of the event that closed its last turn.
ALTER TABLE sessions ADD COLUMN closed_seq INTEGER NOT NULL DEFAULT 0;
-- Who made its title: words, model, user. How often a model was asked for one.
ALTER TABLE sessions ADD COLUMN title_origin TEXT NOT NULL DEFAULT 'user';
ALTER TABLE sessions ADD COLUMN title_tries INTEGER NOT NULL DEFAULT 0;
-- What its answers have cost, and how much the last one had to read.
ALTER TABLE sessions ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN context_tokens INTEGER NOT NULL DEFAULT 0;

CREATE INDEX sessions_to_purge ON sessions (purge_at) WHERE purge_at IS NOT NULL AND NOT is_purged;
CREATE INDEX sessions_pinned ON sessions (owner) WHERE is_pinned;

CREATE INDEX turns_by_parent ON turns (parent) WHERE parent IS NOT NULL;

-- The place of a turn in its conversation, counted from 1.
ALTER TABLE turns ADD COLUMN number INTEGER NOT NULL DEFAULT 1;

WITH RECURSIVE counted (id, number) AS (
    SELECT id, 1 FROM turns WHERE parent IS NULL
    UNION ALL
    SELECT t.id, c.number + 1 FROM turns t JOIN counted c ON t.parent = c.id
)
UPDATE turns SET number = c.number FROM counted c WHERE c.id = turns.id AND turns.parent IS NOT NULL;

-- How far somebody has read.
CREATE TABLE seen (
    session_id  TEXT NOT NULL,
    owner       TEXT NOT NULL,
    seq         INTEGER NOT NULL,
    PRIMARY KEY (session_id, owner)
) WITHOUT ROWID;
