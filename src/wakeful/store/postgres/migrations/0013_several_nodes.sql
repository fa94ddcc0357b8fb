-- From which node a turn was taken because its lease had run out, until that node shows that it lives; and how often
-- one did, since the last recorded step.
ALTER TABLE turns ADD COLUMN taken_from TEXT COLLATE "C";
ALTER TABLE turns ADD COLUMN taken_back INTEGER NOT NULL DEFAULT 0;

-- By which name the server knows the connections of a node.
ALTER TABLE nodes ADD COLUMN connections TEXT NOT NULL DEFAULT '';
