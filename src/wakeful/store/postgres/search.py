"""The index of words in PostgreSQL.

What is written is noted in the same transaction, and indexed soon after, many at a time: to make the words of a long
answer is nothing that its turn should wait for. Until then a search looks at the text itself.
"""

from collections.abc import Iterable, Sequence

import asyncpg

from wakeful.model.journal import Entry
from wakeful.model.search import Hit, Wanted, owner_word, words_of
from wakeful.store.decode import doc_text, hits_from
from wakeful.store.postgres.backlog import SHOWN, SearchBacklog
from wakeful.store.postgres.connection import Connection

_NEW = """
    SELECT d.id, d.session_id, d.turn_id, d.step, d.idx, s.owner, s.title, j.kind, j.payload, j.at
    FROM search_docs d JOIN sessions s ON s.id = d.session_id
    LEFT JOIN journal j ON j.turn_id = d.turn_id AND j.step = d.step AND j.idx = d.idx
    WHERE d.words IS NULL
"""
# The newest docs are looked at first, and of a word that is in many of these only more of the newest: the index would
# have to collect all that have it, only to find the newest of them.
_NEWEST, _NEWEST_OF_COMMON = 2_000, 20_000
_COMMON = 0.1
# So many sessions are as many as a reader looks through.
_ENOUGH = 50
_MOST_NEW = 200


class PostgresSearch:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def find(self, owner: str | None, wanted: Wanted, limit: int) -> dict[str, Hit | None]:
        if wanted.is_nothing:
            return {}
        new = await self._find_new(owner, wanted)
        expression = _expression(owner, wanted)
        rows = await self._among_newest(expression, _NEWEST)
        found = hits_from([new, rows], limit)
        if len(found) >= min(limit, _ENOUGH):
            return found
        if len(rows) <= _NEWEST * _COMMON:
            return hits_from([new, await self._among_all(expression)], limit)
        # One long conversation may have said nearly all of these: it need not be looked at again.
        known = [session_id for session_id, hit in found.items() if hit is not None]
        return hits_from([new, rows, await self._among_newest(expression, _NEWEST_OF_COMMON, but=known)], limit)

    async def index_some(self, limit: int) -> bool:
        # Another node may be at some of them.
        rows = await self._connection.fetch(f"{_NEW} ORDER BY d.id LIMIT $1 FOR UPDATE OF d SKIP LOCKED", limit)
        spoken = [(row, words) for row in rows if (words := words_of(doc_text(row)))]
        await self._connection.execute(
            """UPDATE search_docs d SET words = made.words::tsvector
               FROM unnest($1::bigint[], $2::text[]) AS made (id, words) WHERE d.id = made.id""",
            [row["id"] for row, _ in spoken],
            [_vector((owner_word(row["owner"]), *words)) for row, words in spoken],
        )
        await self._connection.execute(
            "DELETE FROM search_docs WHERE words IS NULL AND id = ANY($1::bigint[])", [row["id"] for row in rows]
        )
        return bool(rows) or await SearchBacklog(self._connection).note_some(limit)

    async def add_entry(self, entry: Entry) -> None:
        """One that was written over; those that are new are noted by the database itself."""
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
        rows = await self._connection.fetch(f"{_NEW} ORDER BY d.id DESC LIMIT $1", _MOST_NEW)
        own = [row for row in rows if owner in (None, row["owner"])]
        return [tuple(row)[1:5] for row in own if wanted.is_in(words_of(doc_text(row)))]

    async def _among_newest(self, expression: str, count: int, but: Sequence[str] = ()) -> list[asyncpg.Record]:
        return await self._connection.fetch(
            """SELECT session_id, turn_id, step, idx
               FROM (SELECT * FROM search_docs ORDER BY id DESC LIMIT $2) newest
               WHERE session_id <> ALL($3::text[]) AND words @@ $1::text::tsquery ORDER BY id DESC""",
            expression,
            count,
            but,
        )

    async def _among_all(self, expression: str) -> list[asyncpg.Record]:
        # Apart from the sort: a scan in its order, past all that do not have the word, is the worst that can be done.
        return await self._connection.fetch(
            """WITH hits AS MATERIALIZED (
                   SELECT id, session_id, turn_id, step, idx FROM search_docs WHERE words @@ $1::text::tsquery
               )
               SELECT session_id, turn_id, step, idx FROM hits ORDER BY id DESC LIMIT $2""",
            expression,
            _NEWEST_OF_COMMON,
        )


def _vector(words: Iterable[str]) -> str:
    """Words have nothing in them that would have to be quoted."""
    return " ".join(f"'{word}'" for word in words)


def _expression(owner: str | None, wanted: Wanted) -> str:
    terms = [f"'{word}'" for word in wanted.words]
    if wanted.beginning:
        terms.append(f"'{wanted.beginning}':*")
    if owner is not None:
        terms.append(f"'{owner_word(owner)}'")
    return " & ".join(terms)
