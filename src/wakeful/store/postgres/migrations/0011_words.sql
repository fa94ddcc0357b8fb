-- Facts and words: the words of an answer are no events any more. The event that ends them knows of them, and the
-- answer keeps where they were cut into pieces. Words that older versions have written as events are moved in the
-- background (see engine/old_words.py), so that a start takes no longer for it. turns.recorded_seq is no longer used.

ALTER TABLE events ADD COLUMN ends BYTEA;
ALTER TABLE journal ADD COLUMN cuts BYTEA;
-- So many pieces of an answer may have been shown before it is recorded.
ALTER TABLE turns ADD COLUMN reserved BIGINT NOT NULL DEFAULT 1000;

-- How far a job has come that goes through the whole database once, in its own time.
CREATE TABLE upkeep (
    name      TEXT PRIMARY KEY,
    position  TEXT NOT NULL
);
