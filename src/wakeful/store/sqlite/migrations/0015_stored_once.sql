-- An event that says something in the words of the journal names the entry and leaves the words out (model/event.py). The
-- job that goes through old logs does so once more: for long texts that older versions have written twice.

ALTER TABLE events ADD COLUMN step INTEGER;
ALTER TABLE events ADD COLUMN idx INTEGER;

DELETE FROM upkeep WHERE name = 'old words';
