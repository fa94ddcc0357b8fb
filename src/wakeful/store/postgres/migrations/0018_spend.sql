-- What answers cost, and why a session's notices wait.

-- Answers of older versions have no price.
ALTER TABLE sessions ADD COLUMN cost_usd DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN unpriced_tokens BIGINT NOT NULL DEFAULT 0;
UPDATE sessions SET unpriced_tokens = input_tokens + output_tokens;

-- Says what wake_at waits for: the wake budget, or a day's spend.
ALTER TABLE sessions ADD COLUMN wake_reason TEXT NOT NULL DEFAULT 'budget';

-- Days of UTC, counted from 1970. An owner's day is spread over several rows, so that answers that are recorded at the
-- same time do not wait for one another.
CREATE TABLE spending (
    day              BIGINT NOT NULL,
    owner            TEXT COLLATE "C" NOT NULL,
    shard            INTEGER NOT NULL,
    input_tokens     BIGINT NOT NULL,
    output_tokens    BIGINT NOT NULL,
    cost_usd         DOUBLE PRECISION NOT NULL,
    unpriced_tokens  BIGINT NOT NULL,
    PRIMARY KEY (day, owner, shard)
);
