-- The agent's list of what is to be done, as JSON; empty without one.
ALTER TABLE sessions ADD COLUMN todo BYTEA NOT NULL DEFAULT '';
