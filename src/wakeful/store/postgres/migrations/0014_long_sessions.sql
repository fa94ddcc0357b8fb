-- What a long session costs: its wake-ups of the last hour by an index, and its newest messages for a search.

CREATE INDEX turns_woken ON turns (session_id, opened_at) WHERE is_wakeup;
CREATE INDEX search_docs_by_session ON search_docs (session_id, id);
-- A search reads all of what waits to be sorted into the index: no more than this, in kilobytes.
ALTER INDEX search_docs_by_word SET (gin_pending_list_limit = 256);
