"""Databases of any size: a few real sessions that an engine has led, copied with SQL as often as it takes."""

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import asyncpg

from tests.bare_engine import bare_engine
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.settings import EngineSettings
from wakeful.engine.submission import Submission
from wakeful.model.fact import Answered, Brief
from wakeful.model.message import AssistantMessage, Usage
from wakeful.model.session import Address
from wakeful.model.turn import Door
from wakeful.store.base import Store
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore

BENCH = Door("bench", async_delivery=False)
HERE = Address("bench")
OWNER, MODEL = "bench", "bench:none"
TURNS_A_SESSION = 10
# Said in every answer, and in one message of all.
COMMON, RARE = "report", "zebrafish"
_SEEDS = 10
# So many of the seeds are behind single responses of the API: no list shows them.
_UNLISTED = 3
_WORDS = [f"{COMMON} {'of the day ' * 3}number {number} says that all is well. " for number in range(20)]
# What of each table is a name, and has to differ in a copy.
_NAMES = {
    "sessions": ("id", "head", "checkpoint"),
    "turns": ("id", "session_id", "parent"),
    "inbox": ("session_id", "turn_id", "claimed_by"),
    "events": ("session_id", "turn_id"),
    "journal": ("turn_id",),
}
# How a table tells which rows are those of a list of sessions.
_ROWS_OF = {"sessions": "id IN ({})", "journal": "turn_id IN (SELECT id FROM turns WHERE session_id IN ({}))"}


@dataclass(frozen=True)
class Size:
    turns: int
    # Of one session more, which is measured by itself.
    messages: int


class TalkLoop:
    """An agent that answers at once with a few hundred words."""

    async def run(self, brief: Brief):  # type: ignore[no-untyped-def]
        yield Answered(brief.last_step + 1, AssistantMessage("".join(_WORDS)), Usage(500, 400))


class _Database(Protocol):
    # Numbers from 1 to the parameter, as a table `copy` with the column `k`.
    series: str

    async def run(self, statement: str, *values: object) -> None: ...

    async def columns(self, table: str) -> list[str]: ...

    async def close(self) -> None: ...


async def grow(url: str, size: Size) -> str:
    """Fill an empty database; the id of its long session."""
    store = open_store(url)
    await store.open()
    seeds, long = await _lead(store)
    await store.close()
    database = await _connect(url)
    try:
        await database.run(f"UPDATE sessions SET is_listed = (id NOT IN ({_list(seeds[:_UNLISTED])}))")
        await _copy_sessions(database, seeds, size.turns // (_SEEDS * TURNS_A_SESSION) - 1)
        await _lengthen(database, long, size.messages // 2)
    finally:
        await database.close()
    await _index(url)
    await (await _connect(url)).close()
    return long


async def _index(url: str) -> None:
    """What was copied was noted for the search, as whatever is written is."""
    store = open_store(url)
    await store.open()
    while await store.write(lambda tx: tx.search.index_some(500)):
        pass
    await store.close()


def open_store(url: str) -> Store:
    if url.startswith("postgresql"):
        return PostgresStore(url)
    return SqliteStore(Path(url.removeprefix("sqlite:///")), time.time)


async def take_turn(engine: Engine, session_id: str, text: str) -> None:
    receipt = await engine.submit(Submission(session_id, text, BENCH, HERE, f"{time.time_ns()}", MODEL))
    async for _ in engine.subscribe_turn(session_id, receipt.turn_id):
        pass


async def _lead(store: Store) -> tuple[list[str], str]:
    engine = bare_engine(store, TalkLoop(), SystemClock(), EngineSettings())
    await engine.start()
    seeds = [await _new_session(engine, f"Seed {number}", TURNS_A_SESSION) for number in range(_SEEDS)]
    long = await _new_session(engine, "Long", 1)
    await engine.stop()
    return seeds, long


async def _new_session(engine: Engine, title: str, turns: int) -> str:
    session = await engine.create_session(OWNER, HERE, MODEL, "/", title)
    for number in range(turns):
        await take_turn(engine, session.id, f"{title} asks question {number} {RARE if title == 'Long' else ''}")
    return session.id


async def _copy_sessions(database: _Database, seeds: Sequence[str], copies: int) -> None:
    for table, names in _NAMES.items():
        columns = [column for column in await database.columns(table) if (table, column) != ("inbox", "id")]
        values = [f"{column} || '_' || k" if column in names else column for column in columns]
        if "updated_at" in columns:
            values[columns.index("updated_at")] = "updated_at - k * 0.001"
        await database.run(
            f"""INSERT INTO {table} ({", ".join(columns)}) {database.series}
                SELECT {", ".join(values)} FROM copy CROSS JOIN {table}
                WHERE {_rows_of(table, seeds)}""",
            copies,
        )


async def _lengthen(database: _Database, session_id: str, turns: int) -> None:
    """Make a chain of its one turn: copies in whose parents are the copies before them."""
    before = "CASE WHEN k = 1 THEN {0} ELSE {0} || '_' || (k - 1) END"
    changed = {
        "turns": {"id": "id || '_' || k", "parent": before.format("id"), "number": "k + 1"},
        "events": {"turn_id": "turn_id || '_' || k", "session_seq": "session_seq + k * 1000"},
        "journal": {"turn_id": "turn_id || '_' || k", "payload": _without_rare()},
    }
    for table, values in changed.items():
        columns = await database.columns(table)
        await database.run(
            f"""INSERT INTO {table} ({", ".join(columns)}) {database.series}
                SELECT {", ".join(values.get(column, column) for column in columns)} FROM copy CROSS JOIN {table}
                WHERE {_rows_of(table, [session_id])}""",
            turns - 1,
        )
    await database.run(
        f"""UPDATE sessions SET head = head || '_{turns - 1}', checkpoint = head || '_{turns - 1}',
                message_count = {2 * turns}, last_seq = {turns} * 1000 WHERE id = '{session_id}'"""
    )


def _rows_of(table: str, session_ids: Sequence[str]) -> str:
    return _ROWS_OF.get(table, "session_id IN ({})").format(_list(session_ids))


def _without_rare() -> str:
    return f"CAST(replace(CAST(payload AS TEXT), '{RARE}', 'nothing') AS BLOB)"


def _list(ids: Sequence[str]) -> str:
    return ", ".join(f"'{each}'" for each in ids)


async def _connect(url: str) -> _Database:
    if url.startswith("postgresql"):
        return _Postgres(await asyncpg.connect(url))
    return _Sqlite(sqlite3.connect(url.removeprefix("sqlite:///")))


class _Sqlite:
    series = "WITH RECURSIVE copy (k) AS (SELECT 1 WHERE ?1 > 0 UNION ALL SELECT k + 1 FROM copy WHERE k < ?1)"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def run(self, statement: str, *values: object) -> None:
        self._connection.execute(statement, values)

    async def columns(self, table: str) -> list[str]:
        return [row[1] for row in self._connection.execute(f"PRAGMA table_info({table})")]

    async def close(self) -> None:
        self._connection.commit()
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()


class _Postgres:
    series = "WITH copy (k) AS (SELECT generate_series(1, $1::integer))"

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def run(self, statement: str, *values: object) -> None:
        bytes_of_text = "convert_to(replace(convert_from(payload, 'UTF8'),"
        statement = statement.replace("CAST(replace(CAST(payload AS TEXT),", bytes_of_text)
        await self._connection.execute(statement.replace(" AS BLOB)", ", 'UTF8')"), *values)

    async def columns(self, table: str) -> list[str]:
        rows = await self._connection.fetch(
            """SELECT column_name FROM information_schema.columns
               WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER'
               ORDER BY ordinal_position""",
            table,
        )
        return [row["column_name"] for row in rows]

    async def close(self) -> None:
        # As its own job does after a while.
        await self._connection.execute("VACUUM ANALYZE")
        await self._connection.close()
