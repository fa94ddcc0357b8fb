"""Schemas: both stores have the same one, and every older one becomes it."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest

import wakeful.store
from tests.store.admin import Admin
from tests.store.conftest import FakeClock
from tests.store.nouns import a_session, a_task, a_turn, close_turn, have_turn
from wakeful.errors import StoreTooNew
from wakeful.model.api.request import TurnRequest, request_from
from wakeful.model.approvals.approval import Choice, Reason
from wakeful.model.messaging.post import Post, PostKind, PostState
from wakeful.model.session import Address
from wakeful.model.tasks.task import TaskStatus
from wakeful.store.base import Store, Transaction
from wakeful.store.migrations import Migration, migrations_in
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore

_FOLDER = Path(wakeful.store.__file__).parent
SQLITE = migrations_in(_FOLDER / "sqlite" / "migrations")
POSTGRES = migrations_in(_FOLDER / "postgres" / "migrations")

Columns = dict[str, list[str]]
Upgraded = Callable[[int, str], AbstractAsyncContextManager[Store]]


def test_both_stores_have_migrations_of_the_same_numbers() -> None:
    assert [m.version for m in SQLITE] == [m.version for m in POSTGRES] == list(range(1, len(SQLITE) + 1))


async def test_both_stores_have_the_same_tables_and_columns(tmp_path: Path, bare_postgres_url: str) -> None:
    await _open_sqlite(tmp_path / "wakeful.db")
    await _open_postgres(bare_postgres_url)

    on_postgres = await _postgres_columns(bare_postgres_url)
    # What only several nodes need.
    assert on_postgres.pop("words")
    on_postgres["nodes"].remove("connections")
    assert _sqlite_columns(tmp_path / "wakeful.db") == on_postgres


@pytest.mark.parametrize("version", range(len(SQLITE) + 1))
async def test_an_older_sqlite_schema_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    await _open_sqlite(tmp_path / "fresh.db")
    apply_to_sqlite(tmp_path / "older.db", SQLITE[:version])

    await _open_sqlite(tmp_path / "older.db")

    assert _sqlite_schema(tmp_path / "older.db") == _sqlite_schema(tmp_path / "fresh.db")


@pytest.mark.parametrize("version", range(len(POSTGRES) + 1))
async def test_an_older_postgres_schema_is_brought_up_to_date(bare_postgres_url: str, version: int) -> None:
    await apply_to_postgres(bare_postgres_url, POSTGRES[:version])

    await _open_postgres(bare_postgres_url)

    connection = await asyncpg.connect(bare_postgres_url)
    versions = await connection.fetch("SELECT version FROM wakeful_schema ORDER BY version")
    await connection.close()
    assert [row["version"] for row in versions] == [m.version for m in POSTGRES]


@pytest.fixture
def upgraded(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Upgraded:
    """Opens a database of an older version, with rows in it."""

    @asynccontextmanager
    async def of(version: int, rows: str) -> AsyncIterator[Store]:
        store: Store
        if kind == "sqlite":
            path = tmp_path / "wakeful.db"
            apply_to_sqlite(path, SQLITE[:version])
            _execute(path, rows.format(blob="BLOB"))
            store = SqliteStore(path, FakeClock(), synchronous="OFF")
        else:
            url: str = request.getfixturevalue("bare_postgres_url")
            await apply_to_postgres(url, POSTGRES[:version])
            async with Admin(url) as admin:
                await admin.execute(rows.format(blob="BYTEA"))
            store = PostgresStore(url)
        await store.open()
        try:
            yield store
        finally:
            await store.close()

    return of


async def test_a_database_of_the_first_version_keeps_what_is_in_it(upgraded: Upgraded) -> None:
    async with upgraded(1, _ROWS_OF_VERSION_1) as store:

        async def body(tx: Transaction) -> tuple[Any, ...]:
            session, turn = await tx.sessions.get("s1"), await tx.turns.get("t2")
            return session, turn, await tx.journal.of_chain("t2"), await tx.tasks.of_session("s1")

        session, turn, entries, tasks = await store.read(body)

        assert session == a_session(head="t1", checkpoint="t1", active="t2", message_count=2)
        assert turn == a_turn("t2", parent="t1", number=2)
        assert [(entry.payload, entry.at) for entry in entries] == [(b"one", 0.0), (b"two", 0.0), (b"three", 0.0)]
        running = a_task("k1", turn_id="t2")
        ended = a_task("k2", turn_id="t2", index=2, status=TaskStatus.KILLED, exit_code=9, kill_intended=True)
        assert tasks == [running, replace(ended, started_at=41.0, ended_at=42.0)]


async def test_a_running_turn_of_the_version_before_the_api_goes_on(upgraded: Upgraded) -> None:
    async with upgraded(2, _ROWS_OF_VERSION_1) as store:
        taken = await store.write(lambda tx: tx.turns.take_over_if_running("t2", 1, "node2"), lock=["s1"])
        assert taken is not None
        assert request_from(taken.request) == TurnRequest()
        assert (taken.parent, taken.is_hidden, taken.resumes) == ("t1", False, 1)

        await close_turn(store, "t2")


async def test_allowances_of_the_version_before_grants_hold_in_their_session_only(
    upgraded: Upgraded, caplog: pytest.LogCaptureFixture
) -> None:
    async with upgraded(7, _ROWS_OF_VERSION_7) as store:
        grants = await store.read(lambda tx: tx.grants.of_owner(None, 60.0))
        assert [(grant.owner, grant.kind, grant.session_id, grant.folder) for grant in grants] == [
            ("alice", "force_push", "s1", "")
        ]
        (line,) = [record.message for record in caplog.records if "were dropped" in record.message]
        assert line.startswith("3 permissions")

        asked, once_only = await store.read(lambda tx: tx.approvals.open_of("s1", 60.0))
        assert (asked.tool, asked.command) == ("terminal", 'rm -r "/"')
        assert asked.reasons == (Reason("delete_outside", 'deletes "it"'),)
        assert asked.choices == (Choice.ONCE, Choice.SESSION, Choice.DENY)
        assert once_only.reasons == (Reason("home", "may end it"),)
        assert once_only.choices == (Choice.ONCE, Choice.DENY)
        assert await store.read(lambda tx: tx.logins.page(None, 10)) == []


async def test_webhooks_of_the_version_before_the_outbox_become_posts(upgraded: Upgraded) -> None:
    async with upgraded(15, _ROWS_OF_VERSION_15) as store:
        refused, new, failed = (await store.read(lambda tx: tx.posts.page(limit=10)))[::-1]
        assert failed == Post(
            failed.id,
            "evt_1.abc",
            Address("webhook", "abc", "evt_1"),
            PostKind.EVENT,
            '{"created_at":11,"ä":1}',
            turn_id="turn_1",
            position=3,
            tries=2,
            error="answered 500",
            not_before=70.0,
            created_at=11.0,
        )
        assert [(post.key, post.state, post.tries) for post in (new, refused)] == [
            ("evt_2.abc", PostState.WAITING, 0),
            ("evt_3.abc", PostState.REFUSED, 14),
        ]
        assert len({len(post.id) for post in (refused, new, failed)}) == 1
        assert await store.write(lambda tx: tx.posts.next_position()) == 4


async def test_opening_again_keeps_the_data(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "wakeful.db", FakeClock(), synchronous="OFF")
    await store.open()
    await have_turn(store)
    await store.close()

    await _open_sqlite(tmp_path / "wakeful.db")


async def test_a_newer_sqlite_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "wakeful.db"
    await _open_sqlite(path)
    _execute(path, "PRAGMA user_version = 999")

    with pytest.raises(StoreTooNew, match=r"wakeful\.db was written by a newer Wakeful \(schema 999"):
        await _open_sqlite(path)

    # The lock was let go: the next try gets as far.
    with pytest.raises(StoreTooNew):
        await _open_sqlite(path)


async def test_a_newer_postgres_schema_is_refused_and_left_alone(bare_postgres_url: str) -> None:
    await _open_postgres(bare_postgres_url)
    connection = await asyncpg.connect(bare_postgres_url)
    await connection.execute("INSERT INTO wakeful_schema VALUES (999)")
    await connection.close()

    with pytest.raises(StoreTooNew, match=r'"postgres" at .* was written by a newer Wakeful \(schema 999'):
        await _open_postgres(bare_postgres_url)


# A closed turn with two entries, a running one with one, a task that runs and one that has ended.
_ROWS_OF_VERSION_1 = """
    INSERT INTO sessions (id, owner, platform, chat_id, thread_id, model, workspace, head, checkpoint, active,
                          created_at, updated_at)
    VALUES ('s1', 'alice', 'telegram', 'chat', 'thread', 'demo:model', '', 't1', 't1', 't2', 10, 10);

    INSERT INTO turns (id, session_id, parent, door, async_delivery, platform, chat_id, thread_id, source, is_wakeup,
                       model, status, node, epoch, workspace, opened_at)
    VALUES ('t1', 's1', NULL, 'telegram', TRUE, 'telegram', 'chat', 'thread', 'user', FALSE,
            'demo:model', 'done', 'node1', 1, '', 20),
           ('t2', 's1', 't1', 'telegram', TRUE, 'telegram', 'chat', 'thread', 'user', FALSE,
            'demo:model', 'running', 'node1', 1, '', 20);

    INSERT INTO journal (turn_id, step, idx, kind, payload)
    VALUES ('t1', 0, 0, 'input', CAST('one' AS {blob})),
           ('t1', 1, 0, 'answer', CAST('two' AS {blob})),
           ('t2', 0, 0, 'input', CAST('three' AS {blob}));

    INSERT INTO tasks (id, kind, session_id, owner, turn_id, step, idx, host, boot_id, command, door, async_delivery,
                       platform, chat_id, thread_id, model, will_notify, status, exit_code, kill_intended, started_at,
                       ended_at)
    VALUES ('k1', 'process', 's1', 'alice', 't2', 1, 1, 'host1', 'boot1', CAST('make' AS {blob}), 'telegram', TRUE,
            'telegram', 'chat', 'thread', 'demo:model', TRUE, 'running', NULL, FALSE, 40, NULL),
           ('k2', 'process', 's1', 'alice', 't2', 1, 2, 'host1', 'boot1', CAST('make' AS {blob}), 'telegram', TRUE,
            'telegram', 'chat', 'thread', 'demo:model', TRUE, 'killed', 9, TRUE, 41, 42)
"""


# Two open questions, and what was allowed: in a session, in one that is gone, and for ever. And a login.
_ROWS_OF_VERSION_7 = """
    INSERT INTO sessions (id, owner, platform, chat_id, thread_id, model, workspace, created_at, updated_at)
    VALUES ('s1', 'alice', 'telegram', 'chat', 'thread', 'demo:model', '/srv', 10, 10);

    INSERT INTO approvals (session_id, turn_id, step, idx, call_id, command, danger, reason, expires_at, created_at)
    VALUES ('s1', 't1', 1, 1, 'call1', CAST('rm -r "/"' AS {blob}), 'delete_outside', CAST('deletes "it"' AS {blob}),
            90, 50),
           ('s1', 't1', 1, 2, 'call2', CAST('pkill wakeful' AS {blob}), 'kill_server', CAST('may end it' AS {blob}),
            90, 51);

    INSERT INTO allowances (danger, session_id, owner)
    VALUES ('force_push', 's1', ''), ('unclear', 's1', ''), ('kill_server', 's1', ''), ('discard_work', 'gone', ''),
           ('stop_machine', '', 'alice');

    INSERT INTO logins (digest, principal, created_at, used_at, expires_at) VALUES ('digest', 'alice', 10, 10, 1000)
"""


# One that has failed twice, one that is new, and one that was given up.
_ROWS_OF_VERSION_15 = """
    INSERT INTO webhook_deliveries (id, event_id, endpoint, body, tries, due_at, error, is_given_up)
    VALUES ('evt_1.abc', 'evt_1', 'abc', CAST('{{"created_at":11,"ä":1}}' AS {blob}), 2, 70, 'answered 500', FALSE),
           ('evt_2.abc', 'evt_2', 'abc', CAST('{{"created_at":12}}' AS {blob}), 0, 60, '', FALSE),
           ('evt_3.abc', 'evt_3', 'abc', CAST('{{"created_at":13}}' AS {blob}), 14, 50, 'answered 410', TRUE)
"""


async def _open_sqlite(path: Path) -> None:
    store = SqliteStore(path, FakeClock(), synchronous="OFF")
    await store.open()
    await store.close()


async def _open_postgres(url: str) -> None:
    store = PostgresStore(url)
    await store.open()
    await store.close()


def apply_to_sqlite(path: Path, migrations: list[Migration]) -> None:
    for migration in migrations:
        _execute(path, migration.sql)
        _execute(path, f"PRAGMA user_version = {migration.version}")


async def apply_to_postgres(url: str, migrations: list[Migration]) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TABLE wakeful_schema (version INTEGER PRIMARY KEY)")
    for migration in migrations:
        await connection.execute(migration.sql)
        await connection.execute("INSERT INTO wakeful_schema VALUES ($1)", migration.version)
    await connection.close()


def _execute(path: Path, script: str) -> None:
    connection = sqlite3.connect(path)
    # Each statement is a transaction of its own, which would wait for the disk.
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(script)
    connection.close()


def _sqlite_schema(path: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
    connection.close()
    return rows


def _sqlite_columns(path: Path) -> Columns:
    connection = sqlite3.connect(path)
    rows = connection.execute(
        """SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
           WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
           AND t.name NOT LIKE 'search_%' ORDER BY t.name, c.cid"""
    ).fetchall()
    connection.close()
    return _grouped(rows)


async def _postgres_columns(url: str) -> Columns:
    connection = await asyncpg.connect(url)
    rows = await connection.fetch(
        """SELECT table_name, column_name FROM information_schema.columns
           WHERE table_schema = current_schema() AND table_name <> 'wakeful_schema'
           AND table_name <> 'search_docs'
           ORDER BY table_name, ordinal_position"""
    )
    await connection.close()
    return _grouped([(row["table_name"], row["column_name"]) for row in rows])


def _grouped(rows: list[tuple[str, str]]) -> Columns:
    columns: Columns = {}
    for table, column in rows:
        columns.setdefault(table, []).append(column)
    return columns
