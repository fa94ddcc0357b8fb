"""Notes titles and messages from before there was a search index, in PostgreSQL: in steps, newest messages first."""

from wakeful.store.postgres.connection import PostgresConnection

# Keys of the table upkeep, which holds how far each has come; without a row it is done.
_TITLES, _MESSAGES = "search_titles", "search_messages"
# Only sessions that a list can show are searched.
SHOWN = "s.is_listed AND s.task_id IS NULL"
# Old documents get ids below all others, because they are older than all that are noted. Known ones stay.
_NOTE = """
    INSERT INTO search_docs (id, session_id, turn_id, step, idx)
    SELECT (SELECT least(min(id), 1) FROM search_docs) - row_number() OVER (), found.* FROM ({}) found
    ON CONFLICT DO NOTHING
"""
_TITLES_BETWEEN = f"""
    SELECT s.id, NULL::text, NULL::integer, NULL::integer FROM sessions s
    WHERE s.id > $1 AND s.id <= $2 AND {SHOWN} AND s.title <> ''
"""
_MESSAGES_BETWEEN = f"""
    SELECT s.id, j.turn_id, j.step, j.idx FROM journal j JOIN turns t ON t.id = j.turn_id
    JOIN sessions s ON s.id = t.session_id
    WHERE j.turn_id < $1 AND j.turn_id >= $2 AND j.kind <> 'result' AND {SHOWN}
    ORDER BY j.turn_id DESC, j.step DESC, j.idx DESC
"""


class SearchBacklog:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def note_some(self, limit: int) -> bool:
        """Note up to so many sessions or turns to be indexed; false when none are left or another node is doing it."""
        return await self._note_titles(limit) or await self._note_messages(limit)

    async def _note_titles(self, limit: int) -> bool:
        position = await self._position(_TITLES)
        if position is None:
            return False
        rows = await self._connection.fetch(
            "SELECT id FROM sessions WHERE id > $1 ORDER BY id LIMIT $2", position, limit
        )
        last = rows[-1]["id"] if rows else ""
        await self._connection.execute(_NOTE.format(_TITLES_BETWEEN), position, last)
        await self._move(_TITLES, last if len(rows) == limit else None)
        return True

    async def _note_messages(self, limit: int) -> bool:
        """Note messages from the newest turn back: ids of turns begin with their time."""
        position = await self._position(_MESSAGES)
        if position is None:
            return False
        rows = await self._connection.fetch(
            "SELECT id FROM turns WHERE id < $1 ORDER BY id DESC LIMIT $2", position, limit
        )
        last = rows[-1]["id"] if rows else position
        await self._connection.execute(_NOTE.format(_MESSAGES_BETWEEN), position, last)
        await self._move(_MESSAGES, last if len(rows) == limit else None)
        return True

    async def _position(self, name: str) -> str | None:
        position: str | None = await self._connection.fetchval(
            "SELECT position FROM upkeep WHERE name = $1 FOR UPDATE SKIP LOCKED", name
        )
        return position

    async def _move(self, name: str, position: str | None) -> None:
        if position is None:
            await self._connection.execute("DELETE FROM upkeep WHERE name = $1", name)
        else:
            await self._connection.execute("UPDATE upkeep SET position = $2 WHERE name = $1", name, position)
