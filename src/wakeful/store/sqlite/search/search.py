"""The search index in SQLite.

A trigger notes each new text in its transaction, and a job indexes many of them at once soon after: to index them
commit by commit would cost several times as much. Until then a search reads the texts themselves.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from wakeful.model.journal.entry import Entry
from wakeful.model.search.search import Hit, Wanted, index_words, owner_word, searched_text
from wakeful.store.rows.search import doc_text, hits_from
from wakeful.store.sqlite.search.backlog import SHOWN, SearchBacklog

_NEW = """
    SELECT d.id, d.session_id, d.turn_id, d.step, d.idx, d.title AS indexed_title, s.owner, s.title, j.kind, j.payload,
           j.at
    FROM search_docs d JOIN sessions s ON s.id = d.session_id
    LEFT JOIN journal j ON j.turn_id = d.turn_id AND j.step = d.step AND j.idx = d.idx
    WHERE d.is_new
"""
_DOC = "SELECT d.id, d.is_new, d.title, s.owner FROM search_docs d JOIN sessions s ON s.id = d.session_id"
_INDEXED = """
    SELECT d.id, coalesce(d.run, d.id), d.session_id, d.turn_id, d.step, d.idx
    FROM search_words w CROSS JOIN search_docs d ON d.id = w.rowid AND NOT d.is_new
    WHERE w.search_words MATCH ? AND w.rowid < ? ORDER BY w.rowid DESC LIMIT ?
"""
# How many documents a search looks at, newest first: a common word is in too many to look at them all.
_MOST_DOCS, _MOST_NEW = 20_000, 200
# After so many documents that are not shown, the index is queried for the owner's alone. That takes longer the more
# documents the owner has, so it is not done for rare words.
_MOST_UNSHOWN = 500
# Querying the index again costs as much as skipping so many documents.
_WORTH_A_JUMP = 200
_END = 1 << 62
# How many pages of the index are merged at a time.
_MERGED_PAGES = 16


class SqliteSearch:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def find(
        self, owner: str | None, wanted: Wanted, limit: int, *, archived: bool = False
    ) -> dict[str, Hit | None]:
        if wanted.is_nothing:
            return {}
        return hits_from([self._find_new(owner, wanted), self._find_indexed(owner, wanted, archived)], limit)

    async def index_some(self, limit: int) -> bool:
        rows = self._connection.execute(f"{_NEW} ORDER BY d.id LIMIT ?", (limit,)).fetchall()
        for row in rows:
            self._index(row)
        return bool(rows) or SearchBacklog(self._connection).note_some(limit) or self._merge_some()

    def add_entry(self, entry: Entry) -> None:
        """Note an entry that was overwritten; a trigger notes new ones."""
        self._connection.execute(
            f"""INSERT INTO search_docs (session_id, turn_id, step, idx)
                SELECT s.id, t.id, ?2, ?3 FROM turns t JOIN sessions s ON s.id = t.session_id
                WHERE t.id = ?1 AND {SHOWN}""",
            (entry.turn_id, entry.step, entry.index),
        )

    def remove_entry(self, entry: Entry) -> None:
        """Remove an entry from the index, given as it is before it is overwritten or removed."""
        doc = self._connection.execute(
            f"{_DOC} WHERE d.turn_id = ? AND d.step = ? AND d.idx = ?", (entry.turn_id, entry.step, entry.index)
        ).fetchone()
        if doc is not None:
            self._remove(doc, "" if doc["is_new"] else searched_text(entry))

    def remove_title(self, session_id: str) -> None:
        doc = self._connection.execute(f"{_DOC} WHERE d.session_id = ? AND d.turn_id IS NULL", (session_id,)).fetchone()
        if doc is not None:
            self._remove(doc, doc["title"] or "")

    def _find_new(self, owner: str | None, wanted: Wanted) -> list[sqlite3.Row]:
        rows = self._connection.execute(f"{_NEW} ORDER BY d.id DESC LIMIT ?", (_MOST_NEW,)).fetchall()
        own = [row for row in rows if owner in (None, row["owner"])]
        return [row[1:5] for row in own if wanted.is_in(index_words(doc_text(row)))]

    def _find_indexed(self, owner: str | None, wanted: Wanted, archived: bool) -> Iterator[Sequence[Any]]:
        """Yield hits in the index, newest first; of a long run of one session's documents, only the newest."""
        terms, unshown = _expression(None, wanted), 0
        end: int | None = _END
        is_shown = cache(partial(self._is_shown, owner, archived))
        while end is not None:
            rows, end = self._connection.execute(_INDEXED, (terms, end, _MOST_DOCS)), None
            for doc, run, session_id, turn_id, step, index in rows:
                if is_shown(session_id):
                    yield session_id, turn_id, step, index
                elif (unshown := unshown + 1) == _MOST_UNSHOWN and owner is not None:
                    terms, end = _expression(owner, wanted), doc
                    break
                if doc - run > _WORTH_A_JUMP and turn_id is not None:
                    end = run
                    break

    def _is_shown(self, owner: str | None, archived: bool, session_id: str) -> bool:
        found = self._connection.execute(
            "SELECT owner, is_archived FROM sessions WHERE id = ?", (session_id,)
        ).fetchone()
        return found is not None and owner in (None, found["owner"]) and found["is_archived"] == archived

    def _index(self, row: sqlite3.Row) -> None:
        doc, owner, text = row["id"], row["owner"], doc_text(row)
        self._forget_words(doc, owner, row["indexed_title"] or "")
        if words := index_words(text):
            title = text if row["turn_id"] is None else None
            self._connection.execute("UPDATE search_docs SET is_new = 0, title = ? WHERE id = ?", (title, doc))
            self._connection.execute(
                "INSERT INTO search_words (rowid, words) VALUES (?, ?)", (doc, _joined(owner, words))
            )
        else:
            self._connection.execute("DELETE FROM search_docs WHERE id = ?", (doc,))

    def _remove(self, doc: sqlite3.Row, indexed: str) -> None:
        self._connection.execute("DELETE FROM search_docs WHERE id = ?", (doc["id"],))
        self._forget_words(doc["id"], doc["owner"], indexed)

    def _merge_some(self) -> bool:
        """Merge some of the index's segments; false when there is nothing to merge. Each commit adds a segment, and
        searches are faster in few. By itself the index would merge them during some commits, which would then take a
        tenth of a second longer in a large database.
        """
        before = self._connection.total_changes
        self._connection.execute("INSERT INTO search_words (search_words, rank) VALUES ('merge', ?)", (_MERGED_PAGES,))
        # The statement itself counts as one change.
        return self._connection.total_changes - before > 1

    def _forget_words(self, doc: int, owner: str, indexed: str) -> None:
        """Remove the words of a document: an index that does not store its texts has to be given them."""
        if words := index_words(indexed):
            self._connection.execute(
                "INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', ?, ?)",
                (doc, _joined(owner, words)),
            )


def _joined(owner: str, words: Iterable[str]) -> str:
    return " ".join((owner_word(owner), *words))


def _expression(owner: str | None, wanted: Wanted) -> str:
    terms = [f'"{word}"' for word in wanted.words]
    if wanted.beginning:
        terms.append(f'"{wanted.beginning}" *')
    if owner is not None:
        terms.append(f'"{owner_word(owner)}"')
    return " AND ".join(terms)
