-- The turn with which the journal of a turn's context begins; null: the first one of its conversation. A summary sets it,
-- and turns that grow from there take it over.
ALTER TABLE turns ADD COLUMN context_turn TEXT COLLATE "C";
