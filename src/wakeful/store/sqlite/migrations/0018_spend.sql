-- What answers cost, and why a session's notices wait.

-- Answers of older versions have no price.
ALTER TABLE sessions ADD COLUMN cost_usd REAL NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN unpriced_tokens INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET unpriced_tokens = input_tokens + output_tokens;

-- Says what wake_at waits for: the wake budget, or a day's spend.
ALTER TABLE sessions ADD COLUMN wake_reason TEXT NOT NULL DEFAULT 'budget';

-- Days of UTC, counted from 1970. An owner's day is spread over several rows.
CREATE TABLE spending (
    day              INTEGER NOT NULL,
    owner            TEXT NOT NULL,
    shard            INTEGER NOT NULL,
    input_tokens     INTEGER NOT NULL,
    output_tokens    INTEGER NOT NULL,
    cost_usd         REAL NOT NULL,
    unpriced_tokens  INTEGER NOT NULL,
    PRIMARY KEY (day, owner, shard)
) WITHOUT ROWID;
