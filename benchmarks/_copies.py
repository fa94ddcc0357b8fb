"""Copies sessions inside a database in bulk: 10⁶ turns take minutes."""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

import asyncpg
import orjson

from wakeful.model.search.search import index_words, owner_word

# The columns of each table that hold ids, which have to differ in a copy.
_NAMES = {
    "sessions": ("id", "head", "checkpoint"),
    "turns": ("id", "session_id", "parent"),
    "inbox": ("session_id", "turn_id", "claimed_by"),
    "events": ("session_id", "turn_id"),
    "journal": ("turn_id",),
    "search_docs": ("session_id", "turn_id"),
}
# Tables whose rows the database numbers.
_NUMBERED = ("inbox", "search_docs")
# Conditions that select the rows of a list of sessions.
_ROWS_OF = {"sessions": "id IN ({})", "journal": "turn_id IN (SELECT id FROM turns WHERE session_id IN ({}))"}


class _Database(Protocol):
    async def unlist(self, session_ids: Sequence[str]) -> None: ...

    async def copy_sessions(self, session_ids: Sequence[str], copies: int) -> None: ...

    async def lengthen(self, session_id: str, turns: int, *, without: str) -> None: ...

    async def close(self) -> None: ...


async def connect(url: str) -> _Database:
    if url.startswith("postgresql"):
        return _Postgres(await asyncpg.connect(url))
    return _Sqlite(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None))


async def settle(url: str) -> None:
    """Vacuum and analyze, as PostgreSQL's autovacuum would after a while."""
    if url.startswith("postgresql"):
        connection = await asyncpg.connect(url)
        await connection.execute("VACUUM ANALYZE")
        await connection.close()


class _Copier:
    # Numbers from 1 to the parameter, as a table `copy` with the column `k`.
    _series: str
    # The payload of a journal entry without a given word.
    _payload_without: str

    async def unlist(self, session_ids: Sequence[str]) -> None:
        """Make these sessions like those of single API responses: neither listed nor found by a search."""
        await self._run(f"UPDATE sessions SET is_listed = (id NOT IN ({_list(session_ids)}))")

    async def copy_sessions(self, session_ids: Sequence[str], copies: int) -> None:
        raise NotImplementedError

    async def lengthen(self, session_id: str, turns: int, *, without: str) -> None:
        """Copy the session's only turn into a chain, each copy the parent of the next."""
        before = "CASE WHEN k = 1 THEN {0} ELSE {0} || '_' || (k - 1) END"
        changed = {
            "turns": {"id": "id || '_' || k", "parent": before.format("id"), "number": "k + 1"},
            "events": {"turn_id": "turn_id || '_' || k", "session_seq": "session_seq + k * 1000"},
            "journal": {"turn_id": "turn_id || '_' || k", "payload": self._payload_without.format(without)},
        }
        for table, values in changed.items():
            await self._copy_rows(table, values, [session_id], turns - 1)
        await self._run(
            f"""UPDATE sessions SET head = head || '_{turns - 1}', checkpoint = head || '_{turns - 1}',
                    message_count = {2 * turns}, last_seq = {turns} * 1000 WHERE id = '{session_id}'"""
        )

    async def _copy_table(self, table: str, session_ids: Sequence[str], copies: int) -> None:
        # The same number of digits for each, so copies sort in the order in which they are made.
        changed = {column: f"{column} || '_' || ({10**7} + k)" for column in _NAMES[table]}
        if table == "sessions":
            changed["updated_at"] = "updated_at - k * 0.001"
        await self._copy_rows(table, changed, session_ids, copies)

    async def _copy_rows(self, table: str, changed: dict[str, str], session_ids: Sequence[str], copies: int) -> None:
        columns = [column for column in await self._columns(table) if column != "id" or table not in _NUMBERED]
        rows = _ROWS_OF.get(table, "session_id IN ({})").format(_list(session_ids))
        await self._run(
            f"""INSERT INTO {table} ({", ".join(columns)}) {self._series}
                SELECT {", ".join(changed.get(column, column) for column in columns)} FROM copy CROSS JOIN {table}
                WHERE {rows} {"ORDER BY k" if table in _NUMBERED else ""}""",
            copies,
        )

    async def _run(self, statement: str, *values: object) -> None:
        raise NotImplementedError

    async def _columns(self, table: str) -> list[str]:
        raise NotImplementedError


class _Sqlite(_Copier):
    _series = "WITH RECURSIVE copy (k) AS (SELECT 1 WHERE ?1 > 0 UNION ALL SELECT k + 1 FROM copy WHERE k < ?1)"
    _payload_without = "CAST(replace(CAST(payload AS TEXT), '{}', 'nothing') AS BLOB)"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # A copy that a power failure interrupts is made again, so nothing has to be durable.
        for setting in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = {-(1 << 20)}"):
            connection.execute(f"PRAGMA {setting}")
        connection.create_function("indexed_words", 3, _indexed_words, deterministic=True)

    async def copy_sessions(self, session_ids: Sequence[str], copies: int) -> None:
        """Copy the sessions. Triggers fill `search_docs`; the index of words stores no texts, so it is built here."""
        self._connection.execute("BEGIN")
        for table in _NAMES:
            if table != "search_docs":
                await self._copy_table(table, session_ids, copies)
        self._connection.execute(
            """INSERT INTO search_words (rowid, words)
               SELECT d.id, indexed_words(s.owner, s.title, j.payload) FROM search_docs d
               JOIN sessions s ON s.id = d.session_id
               LEFT JOIN journal j ON j.turn_id = d.turn_id AND j.step = d.step AND j.idx = d.idx WHERE d.is_new"""
        )
        self._connection.execute(
            """UPDATE search_docs SET is_new = 0, title = CASE WHEN turn_id IS NULL THEN
                   (SELECT title FROM sessions WHERE id = session_id) END WHERE is_new"""
        )
        self._connection.execute("COMMIT")

    async def close(self) -> None:
        self._connection.close()

    async def _run(self, statement: str, *values: object) -> None:
        self._connection.execute(statement, values)

    async def _columns(self, table: str) -> list[str]:
        return [row[1] for row in self._connection.execute(f"PRAGMA table_info({table})")]


@lru_cache
def _indexed_words(owner: str, title: str, payload: bytes | None) -> str:
    text = title if payload is None else orjson.loads(payload)["text"]
    return " ".join((owner_word(owner), *index_words(text)))


class _Postgres(_Copier):
    _series = "WITH copy (k) AS (SELECT generate_series(1, $1::integer))"
    _payload_without = "convert_to(replace(convert_from(payload, 'UTF8'), '{}', 'nothing'), 'UTF8')"

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def copy_sessions(self, session_ids: Sequence[str], copies: int) -> None:
        """Copy the sessions without triggers, whose rows are copied too, and rebuild the index of words once."""
        index = await self._connection.fetchval("SELECT pg_get_indexdef('search_docs_by_word'::regclass)")
        async with self._connection.transaction():
            await self._run("SET LOCAL session_replication_role = replica")
            await self._run("SET LOCAL maintenance_work_mem = '512MB'")
            await self._run("DROP INDEX search_docs_by_word")
            for table in _NAMES:
                await self._copy_table(table, session_ids, copies)
            await self._run(index)

    async def close(self) -> None:
        await self._connection.close()

    async def _run(self, statement: str, *values: object) -> None:
        await self._connection.execute(statement, *values)

    async def _columns(self, table: str) -> list[str]:
        rows = await self._connection.fetch(
            """SELECT column_name FROM information_schema.columns
               WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER'
               ORDER BY ordinal_position""",
            table,
        )
        return [row["column_name"] for row in rows]


def _list(ids: Sequence[str]) -> str:
    return ", ".join(f"'{each}'" for each in ids)
