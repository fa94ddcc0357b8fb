-- From which node a turn was taken because its lease had run out, until that node shows that it lives; and how often
-- one did, since the last recorded step.
ALTER TABLE turns ADD COLUMN taken_from TEXT;
ALTER TABLE turns ADD COLUMN taken_back INTEGER NOT NULL DEFAULT 0;
