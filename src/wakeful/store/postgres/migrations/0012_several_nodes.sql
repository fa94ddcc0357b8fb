-- From which node a turn was taken because its lease had run out, until that node shows that it lives; and how often
-- one did, since the last recorded step.
ALTER TABLE turns ADD COLUMN taken_from TEXT COLLATE "C";
ALTER TABLE turns ADD COLUMN taken_back INTEGER NOT NULL DEFAULT 0;

-- By which name the server knows the connections of a node.
ALTER TABLE nodes ADD COLUMN connections TEXT NOT NULL DEFAULT '';

-- What steps are saying, for readers at other nodes. No facts: a crash of the server may empty it.
CREATE UNLOGGED TABLE words (
    session_id  TEXT COLLATE "C" NOT NULL,
    turn_id     TEXT COLLATE "C" NOT NULL,
    step        INTEGER NOT NULL,
    -- The last event of the turn before them, by its number in the session and in the turn.
    base        BIGINT NOT NULL,
    turn_base   BIGINT NOT NULL,
    -- The places of the first and the last piece.
    first       INTEGER NOT NULL,
    last        INTEGER NOT NULL,
    said        BYTEA NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

CREATE INDEX words_by_session ON words (session_id, base);
CREATE INDEX words_by_turn ON words (turn_id, base);
