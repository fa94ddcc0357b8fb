-- Search by an index of words, lists by an index of times, and what lets a purge look at its own session alone.

-- What can be found: the title of a session (no turn), or an entry of the journal. The newest has the highest id; what
-- was there before this index gets ids below 1, in the background (see engine/indexer.py).
CREATE TABLE search_docs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id  TEXT NOT NULL,
    turn_id     TEXT,
    step        INTEGER,
    idx         INTEGER,
    -- The title whose words are in the index, which has to be told them again when they are to leave it.
    title       TEXT,
    -- Its words, as they are now, are not in the index yet.
    is_new      INTEGER NOT NULL DEFAULT 1
);

CREATE UNIQUE INDEX search_docs_of_entry ON search_docs (turn_id, step, idx) WHERE turn_id IS NOT NULL;
CREATE UNIQUE INDEX search_docs_of_title ON search_docs (session_id) WHERE turn_id IS NULL;
CREATE INDEX search_docs_new ON search_docs (id) WHERE is_new;

-- Whatever writes notes what it has written: it is indexed soon after, many texts at a time.
CREATE TRIGGER search_new_entry AFTER INSERT ON journal WHEN NEW.kind <> 'result' BEGIN
    INSERT INTO search_docs (session_id, turn_id, step, idx)
    SELECT s.id, NEW.turn_id, NEW.step, NEW.idx FROM turns t JOIN sessions s ON s.id = t.session_id
    WHERE t.id = NEW.turn_id AND s.is_listed AND s.task_id IS NULL;
END;
CREATE TRIGGER search_new_session AFTER INSERT ON sessions
WHEN NEW.title <> '' AND NEW.is_listed AND NEW.task_id IS NULL BEGIN
    INSERT INTO search_docs (session_id) VALUES (NEW.id);
END;
CREATE TRIGGER search_new_title AFTER UPDATE OF title ON sessions
WHEN NEW.title <> OLD.title AND NEW.is_listed AND NEW.task_id IS NULL BEGIN
    UPDATE search_docs SET is_new = 1 WHERE session_id = NEW.id AND turn_id IS NULL;
    INSERT OR IGNORE INTO search_docs (session_id) VALUES (NEW.id);
END;

-- Their words, as model/search.py makes them, by the ids of the docs. Neither the text nor the places are kept.
CREATE VIRTUAL TABLE search_words USING fts5 (
    words, content = '', columnsize = 0, detail = none, prefix = '1 2 3 4 5 6 7 8', tokenize = "ascii tokenchars '@'"
);

INSERT INTO upkeep (name, position) SELECT 'search_titles', '' WHERE EXISTS (SELECT 1 FROM sessions);
INSERT INTO upkeep (name, position) SELECT 'search_messages', max(id) || '~' FROM turns HAVING max(id) IS NOT NULL;

-- Those that a list may show, in its order: of one owner, and of all.
DROP INDEX sessions_by_owner;
CREATE INDEX sessions_listed_of_owner ON sessions (owner, is_archived, updated_at, id)
    WHERE task_id IS NULL AND is_listed AND purge_at IS NULL;
CREATE INDEX sessions_listed ON sessions (is_archived, updated_at, id)
    WHERE task_id IS NULL AND is_listed AND purge_at IS NULL;
DROP INDEX sessions_pinned;
CREATE INDEX sessions_pinned ON sessions (is_archived, updated_at, id)
    WHERE is_pinned AND task_id IS NULL AND is_listed AND purge_at IS NULL;
CREATE INDEX tasks_by_time ON tasks (started_at, id);

-- Who stands on a turn, for the purge.
CREATE INDEX sessions_by_head ON sessions (head) WHERE head IS NOT NULL;
CREATE INDEX sessions_by_checkpoint ON sessions (checkpoint) WHERE checkpoint IS NOT NULL;
CREATE INDEX idempotency_keys_by_turn ON idempotency_keys (turn_id);

-- Deleted responses, whose sessions go with the last of them.
CREATE INDEX turns_hidden ON turns (session_id) WHERE is_hidden;

-- What a turn has taken from the inbox stands in its journal: the row stays, so that the same message is known again,
-- but its text does not. Those of older versions are emptied in the background (see engine/janitor.py).
CREATE TRIGGER inbox_taken_at_once AFTER INSERT ON inbox WHEN NEW.status <> 'pending' BEGIN
    UPDATE inbox SET payload = x'7B7D' WHERE id = NEW.id;
END;
CREATE TRIGGER inbox_taken AFTER UPDATE OF status ON inbox WHEN NEW.status <> 'pending' BEGIN
    UPDATE inbox SET payload = x'7B7D' WHERE id = NEW.id;
END;
INSERT INTO upkeep (name, position) SELECT 'inbox_payloads', '0' WHERE EXISTS (SELECT 1 FROM inbox);
