"""The search index in PostgreSQL.

A trigger notes each new text in its transaction, and a job indexes many of them at once soon after: a turn should not
wait until a long answer is split into words. Until then a search reads the texts themselves.
"""

from collections.abc import Iterable

import asyncpg

from wakeful.model.journal.entry import Entry
from wakeful.model.search.search import Hit, Wanted, index_words, owner_word
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.search.backlog import SHOWN, SearchBacklog
from wakeful.store.rows.search import doc_text, hits_from

_NEW = """
    SELECT d.id, d.session_id, d.turn_id, d.step, d.idx, s.owner, s.title, j.kind, j.payload, j.at
    FROM search_docs d JOIN sessions s ON s.id = d.session_id
    LEFT JOIN journal j ON j.turn_id = d.turn_id AND j.step = d.step AND j.idx = d.idx
    WHERE d.words IS NULL
"""
# Up to so many documents with a word are collected to find the newest. For a word that is in more, by the table's
# statistics, a search looks at the newest documents of the newest sessions instead.
_MOST_COLLECTED = 5_000
_FREQUENCY = """
    SELECT min(coalesce(known.frequency, 0)) * (SELECT reltuples FROM pg_class WHERE oid = 'search_docs'::regclass)
    FROM unnest($1::text[], $2::boolean[]) AS term (word, is_whole) LEFT JOIN LATERAL (
        SELECT max(frequency) AS frequency
        FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS common (word, frequency)
        WHERE schemaname = current_schema() AND tablename = 'search_docs' AND attname = 'words'
        AND (common.word = term.word OR NOT term.is_whole AND starts_with(common.word, term.word))
    ) known ON TRUE
"""
# Searches the sessions that a list shows first: their titles and newest messages.
_AMONG_NEWEST = """
    SELECT found.session_id, found.turn_id, found.step, found.idx FROM (
        SELECT hit.* FROM (
            SELECT id FROM sessions WHERE task_id IS NULL AND is_listed AND purge_at IS NULL AND is_archived = $3 {}
            ORDER BY updated_at DESC, id DESC LIMIT 1000
        ) s CROSS JOIN LATERAL (
            SELECT * FROM (
                (SELECT * FROM search_docs WHERE session_id = s.id ORDER BY id DESC LIMIT 20)
                UNION ALL
                (SELECT * FROM search_docs WHERE session_id = s.id AND turn_id IS NULL)
            ) doc WHERE words @@ $1::text::tsquery ORDER BY turn_id IS NULL, id DESC LIMIT 1
        ) hit LIMIT $2
    ) found ORDER BY found.id DESC
"""
# A reader looks through no more sessions than this.
_ENOUGH = 50
_MOST_NEW, _MOST_FOUND = 200, 20_000


class PostgresSearch:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def find(
        self, owner: str | None, wanted: Wanted, limit: int, *, archived: bool = False
    ) -> dict[str, Hit | None]:
        if wanted.is_nothing:
            return {}
        new = await self._find_new(owner, wanted)
        is_common = await self._is_common(wanted)
        if is_common:
            found = hits_from([new, await self._among_newest(owner, wanted, limit, archived)], limit)
            if len(found) >= min(limit, _ENOUGH):
                return found
        # For a rare word it takes longer to read the owner's documents, too.
        expression = _expression(owner if is_common else None, wanted)
        return hits_from([new, await self._among_all(owner, expression)], limit)

    async def index_some(self, limit: int) -> bool:
        # Another node may be indexing some of them.
        rows = await self._connection.fetch(f"{_NEW} ORDER BY d.id LIMIT $1 FOR UPDATE OF d SKIP LOCKED", limit)
        filled = [(row, words) for row in rows if (words := index_words(doc_text(row)))]
        await self._connection.execute(
            """UPDATE search_docs d SET words = made.words::tsvector
               FROM unnest($1::bigint[], $2::text[]) AS made (id, words) WHERE d.id = made.id""",
            [row["id"] for row, _ in filled],
            [_vector((owner_word(row["owner"]), *words)) for row, words in filled],
        )
        await self._connection.execute(
            "DELETE FROM search_docs WHERE words IS NULL AND id = ANY($1::bigint[])", [row["id"] for row in rows]
        )
        return bool(rows) or await SearchBacklog(self._connection).note_some(limit)

    async def add_entry(self, entry: Entry) -> None:
        """Note an entry that was overwritten; a trigger notes new ones."""
        await self._connection.execute(
            f"""INSERT INTO search_docs (session_id, turn_id, step, idx)
                SELECT s.id, t.id, $2, $3 FROM turns t JOIN sessions s ON s.id = t.session_id
                WHERE t.id = $1 AND {SHOWN}""",
            entry.turn_id,
            entry.step,
            entry.index,
        )

    async def remove_entry(self, entry: Entry) -> None:
        await self._connection.execute(
            "DELETE FROM search_docs WHERE turn_id = $1 AND step = $2 AND idx = $3",
            entry.turn_id,
            entry.step,
            entry.index,
        )

    async def remove_title(self, session_id: str) -> None:
        await self._connection.execute("DELETE FROM search_docs WHERE session_id = $1 AND turn_id IS NULL", session_id)

    async def _find_new(self, owner: str | None, wanted: Wanted) -> list[tuple[object, ...]]:
        rows = await self._connection.fetch(f"{_NEW} ORDER BY d.id DESC LIMIT {_MOST_NEW}")
        own = [row for row in rows if owner in (None, row["owner"])]
        return [tuple(row)[1:5] for row in own if wanted.is_in(index_words(doc_text(row)))]

    async def _is_common(self, wanted: Wanted) -> bool:
        terms = [*wanted.words, *([wanted.beginning] if wanted.beginning else [])]
        docs = await self._connection.fetchval(
            _FREQUENCY, terms, [number < len(wanted.words) for number in range(len(terms))]
        )
        return docs is not None and docs > _MOST_COLLECTED

    async def _among_newest(
        self, owner: str | None, wanted: Wanted, limit: int, archived: bool
    ) -> list[asyncpg.Record]:
        expression = _expression(None, wanted)
        if owner is None:
            return await self._connection.fetch(_AMONG_NEWEST.format(""), expression, limit, archived)
        own = _AMONG_NEWEST.format("AND owner = $4")
        return await self._connection.fetch(own, expression, limit, archived, owner)

    async def _among_all(self, owner: str | None, expression: str) -> list[asyncpg.Record]:
        # Materialized, or the planner may scan in the order of the sort, past all documents without the word.
        rows = await self._connection.fetch(
            """WITH hits AS MATERIALIZED (
                   SELECT id, session_id, turn_id, step, idx FROM search_docs WHERE words @@ $1::text::tsquery
               )
               SELECT session_id, turn_id, step, idx FROM hits ORDER BY id DESC LIMIT $2""",
            expression,
            _MOST_FOUND,
        )
        # Not joined: the planner overestimates how many documents have a word, and would read all sessions.
        own = await self._connection.fetch(
            "SELECT id FROM sessions WHERE id = ANY($1::text[]) AND ($2::text IS NULL OR owner = $2)",
            list({row["session_id"] for row in rows}),
            owner,
        )
        known = {row["id"] for row in own}
        return [row for row in rows if row["session_id"] in known]


def _vector(words: Iterable[str]) -> str:
    """Return a tsvector; words contain nothing that has to be escaped."""
    return " ".join(f"'{word}'" for word in words)


def _expression(owner: str | None, wanted: Wanted) -> str:
    terms = [f"'{word}'" for word in wanted.words]
    if wanted.beginning:
        terms.append(f"'{wanted.beginning}':*")
    if owner is not None:
        terms.append(f"'{owner_word(owner)}'")
    return " & ".join(terms)
