"""The index of words in PostgreSQL. What is written changes it in the same transaction; what is removed leaves it."""

from collections.abc import Iterable, Sequence

from wakeful.model.journal import Entry
from wakeful.model.search import Hit, Wanted, owner_word, searched_text, words_of
from wakeful.store.decode import entry_from, hits_from
from wakeful.store.postgres.connection import Connection

TITLES, MESSAGES = "search_titles", "search_messages"
# Only what a list can show is searched.
_SHOWN = "s.is_listed AND s.task_id IS NULL"
_WORDS = "{} || array_to_tsvector(ARRAY['@' || md5(s.owner)])"
# Docs looked at, the newest first: a word that everybody uses is in too many to look at them all. Most are content
# with the first number.
_MOST_DOCS = (2_000, 20_000)


class PostgresSearch:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def find(self, owner: str | None, wanted: Wanted, limit: int) -> dict[str, Hit | None]:
        found: dict[str, Hit | None] = {}
        if wanted.is_nothing:
            return found
        for most in _MOST_DOCS:
            rows = await self._connection.fetch(
                """SELECT session_id, turn_id, step, idx FROM search_docs WHERE words @@ $1::text::tsquery
                   ORDER BY id DESC LIMIT $2""",
                _expression(owner, wanted),
                most,
            )
            found = hits_from(rows, limit)
            if len(rows) < most or len(found) == limit:
                break
        return found

    async def index_some(self, limit: int) -> bool:
        return await self._index_titles(limit) or await self._index_messages(limit)

    async def add_entries(self, entries: Iterable[Entry]) -> None:
        spoken = [(entry, words) for entry in entries if (words := words_of(searched_text(entry)))]
        if spoken:
            await self._connection.execute(
                f"""INSERT INTO search_docs (session_id, turn_id, step, idx, words)
                    SELECT s.id, e.turn_id, e.step, e.idx, {_WORDS.format("e.words::tsvector")}
                    FROM unnest($1::text[], $2::integer[], $3::integer[], $4::text[])
                        WITH ORDINALITY AS e (turn_id, step, idx, words, place)
                    JOIN turns t ON t.id = e.turn_id JOIN sessions s ON s.id = t.session_id
                    WHERE {_SHOWN} ORDER BY e.place""",
                *_columns(spoken),
            )

    async def remove_entry(self, entry: Entry) -> None:
        await self._connection.execute(
            "DELETE FROM search_docs WHERE turn_id = $1 AND step = $2 AND idx = $3",
            entry.turn_id,
            entry.step,
            entry.index,
        )

    async def set_title(self, session_id: str, title: str | None) -> None:
        await self._connection.execute("DELETE FROM search_docs WHERE session_id = $1 AND turn_id IS NULL", session_id)
        if title and (words := words_of(title)):
            await self._connection.execute(
                f"""INSERT INTO search_docs (session_id, words)
                    SELECT s.id, {_WORDS.format("$2::text::tsvector")} FROM sessions s WHERE s.id = $1 AND {_SHOWN}""",
                session_id,
                _vector(words),
            )

    async def _index_titles(self, limit: int) -> bool:
        position = await self._position(TITLES)
        if position is None:
            return False
        rows = await self._connection.fetch(
            f"""SELECT s.id, s.title, {_SHOWN} AND d.id IS NULL AS is_new FROM sessions s
                LEFT JOIN search_docs d ON d.session_id = s.id AND d.turn_id IS NULL
                WHERE s.id > $1 ORDER BY s.id LIMIT $2""",
            position,
            limit,
        )
        new = [(row["id"], words) for row in rows if row["is_new"] and (words := words_of(row["title"]))]
        await self._connection.execute(
            f"""INSERT INTO search_docs (id, session_id, words)
                SELECT (SELECT least(min(id), 1) FROM search_docs) - n.place, s.id, {_WORDS.format("n.words::tsvector")}
                FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n (session_id, words, place)
                JOIN sessions s ON s.id = n.session_id ON CONFLICT DO NOTHING""",
            [session_id for session_id, _ in new],
            [_vector(words) for _, words in new],
        )
        await self._move(TITLES, rows[-1]["id"] if len(rows) == limit else None)
        return True

    async def _index_messages(self, limit: int) -> bool:
        """The newest turns first: their ids begin with their time."""
        position = await self._position(MESSAGES)
        if position is None:
            return False
        turns = await self._connection.fetch(
            "SELECT id FROM turns WHERE id < $1 ORDER BY id DESC LIMIT $2", position, limit
        )
        rows = await self._connection.fetch(
            f"""SELECT j.turn_id, j.step, j.idx, j.kind, j.payload, j.at FROM journal j
                JOIN turns t ON t.id = j.turn_id JOIN sessions s ON s.id = t.session_id
                LEFT JOIN search_docs d ON d.turn_id = j.turn_id AND d.step = j.step AND d.idx = j.idx
                WHERE j.turn_id = ANY($1::text[]) AND j.kind <> 'result' AND d.id IS NULL AND {_SHOWN}
                ORDER BY j.turn_id DESC, j.step DESC, j.idx DESC""",
            [turn["id"] for turn in turns],
        )
        spoken = [(entry, words) for entry in map(entry_from, rows) if (words := words_of(searched_text(entry)))]
        await self._connection.execute(
            f"""INSERT INTO search_docs (id, session_id, turn_id, step, idx, words)
                SELECT (SELECT least(min(id), 1) FROM search_docs) - e.place, s.id, e.turn_id, e.step, e.idx,
                       {_WORDS.format("e.words::tsvector")}
                FROM unnest($1::text[], $2::integer[], $3::integer[], $4::text[])
                    WITH ORDINALITY AS e (turn_id, step, idx, words, place)
                JOIN turns t ON t.id = e.turn_id JOIN sessions s ON s.id = t.session_id ON CONFLICT DO NOTHING""",
            *_columns(spoken),
        )
        await self._move(MESSAGES, turns[-1]["id"] if len(turns) == limit else None)
        return True

    async def _position(self, name: str) -> str | None:
        """None: all is done, or another node is at it."""
        position: str | None = await self._connection.fetchval(
            "SELECT position FROM upkeep WHERE name = $1 FOR UPDATE SKIP LOCKED", name
        )
        return position

    async def _move(self, name: str, position: str | None) -> None:
        if position is None:
            await self._connection.execute("DELETE FROM upkeep WHERE name = $1", name)
        else:
            await self._connection.execute("UPDATE upkeep SET position = $2 WHERE name = $1", name, position)


def _columns(spoken: Sequence[tuple[Entry, Sequence[str]]]) -> list[list[object]]:
    return [
        [entry.turn_id for entry, _ in spoken],
        [entry.step for entry, _ in spoken],
        [entry.index for entry, _ in spoken],
        [_vector(words) for _, words in spoken],
    ]


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
