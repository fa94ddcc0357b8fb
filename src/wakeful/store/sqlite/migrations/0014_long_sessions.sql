-- What a long session costs: its wake-ups of the last hour by an index, and its messages passed over by a search that
-- has found the newest of them.

CREATE INDEX turns_woken ON turns (session_id, opened_at) WHERE is_wakeup;

-- All docs from this one on, up to this row, are of the same session; null: the one before is another's, or unknown.
ALTER TABLE search_docs ADD COLUMN run INTEGER;

DROP TRIGGER search_new_entry;
CREATE TRIGGER search_new_entry AFTER INSERT ON journal WHEN NEW.kind <> 'result' BEGIN
    INSERT INTO search_docs (session_id, turn_id, step, idx, run)
    SELECT s.id, NEW.turn_id, NEW.step, NEW.idx, (
        SELECT coalesce(last.run, last.id) FROM search_docs last
        WHERE last.id = (SELECT max(id) FROM search_docs) AND last.session_id = s.id
    )
    FROM turns t JOIN sessions s ON s.id = t.session_id
    WHERE t.id = NEW.turn_id AND s.is_listed AND s.task_id IS NULL;
END;

-- The pieces of the index are put together in the background (see SqliteSearch.index_some), not inside of a commit.
INSERT INTO search_words (search_words, rank) VALUES ('automerge', 0);
