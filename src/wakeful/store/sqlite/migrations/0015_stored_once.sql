-- An event that says something in the words of the journal names the entry and leaves the words out (model/event.py). Those
-- that older versions have written keep theirs.

ALTER TABLE events ADD COLUMN step INTEGER;
ALTER TABLE events ADD COLUMN idx INTEGER;
