"""Purging a deleted session: all of it is removed, and nothing of another."""

from dataclasses import replace

import pytest

from tests.store.conftest import Sql
from tests.store.nouns import (
    a_change,
    a_grant,
    a_row,
    a_task,
    an_approval,
    an_input,
    close_turn,
    have_row,
    have_session,
    have_task,
    have_turn,
    some_events,
)
from wakeful.model.api.conversation import Conversation, IdempotencyKey
from wakeful.model.files.attachment import Attachment
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.schedules.cron_job import CronRun, RunStatus
from wakeful.model.session import Address
from wakeful.model.tasks.task import TaskStatus
from wakeful.model.words import Said, WordsHead, WordsPart
from wakeful.store.base import Store, Transaction

NOW = 1_000.0
_COLUMNS = {
    "sqlite": """SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
                 WHERE m.type = 'table' AND c.type = 'TEXT'""",
    "postgres": """SELECT table_name, column_name FROM information_schema.columns
                   WHERE table_schema = current_schema() AND data_type = 'text'""",
}


async def purge(store: Store, session_id: str) -> None:
    async def some(tx: Transaction) -> bool:
        return await tx.purges.remove_some(session_id, 2)

    while await store.write(some, lock=[session_id]):
        pass
    await store.write(lambda tx: tx.purges.let_go(session_id), lock=[session_id])

    async def turns(tx: Transaction) -> tuple[int, tuple[float, str] | None]:
        return await tx.purges.remove_turns(session_id, before, 2)

    before: tuple[float, str] | None = None
    _, before = await store.write(turns, lock=[session_id])
    while before is not None:
        _, before = await store.write(turns, lock=[session_id])
    await store.write(lambda tx: tx.purges.finish(session_id), lock=[session_id])


async def settle(store: Store, turn_id: str) -> None:
    await close_turn(store, turn_id, checkpoint=turn_id, facts=some_events(1, "done"))


async def fill(store: Store, session_id: str, *turn_ids: str) -> None:
    """A row of everything that a session can have."""
    await have_session(store, session_id, title="words")
    parent = None
    for turn_id in turn_ids:
        await have_turn(store, turn_id, session_id, parent=parent)
        await settle(store, turn_id)
        parent = turn_id
    await have_row(store, a_row("m1", session_id, turn_id=f"row-{session_id}"))
    await have_task(store, a_task(f"task-{session_id}", session_id, turn_id=turn_ids[0], status=TaskStatus.RUNNING))
    key = IdempotencyKey("alice", f"key-{session_id}", "print", turn_ids[-1], 1.0)
    approval = an_approval(turn_ids[0], session_id)

    async def body(tx: Transaction) -> None:
        await tx.journal.add([an_input(turn_id, "words") for turn_id in turn_ids])
        await tx.readers.see("alice", session_id, 1)
        await tx.approvals.ask_if_new(approval)
        await tx.changes.begin(a_change(turn_ids[0], session_id))
        await tx.grants.give(a_grant(f"grant-{session_id}", session_id=session_id))
        await tx.conversations.create_if_absent(Conversation(f"conv-{session_id}", "alice", session_id, "", b"{}", 1.0))
        await tx.idempotency_keys.reserve(key)
        await tx.news.add("alice", *await tx.events.append(session_id, None, some_events(1, "process_complete")))
        chat = Chat(f"chat-{session_id}", "telegram", ChatKind.PRIVATE, f"id-{session_id}", "", session_id)
        await tx.chats.put(chat)
        post = Post(
            f"post-{session_id}", f"key-{session_id}", Address("telegram"), PostKind.ANSWER, "words", session_id
        )
        await tx.posts.put(replace(post, turn_id=turn_ids[0]))
        await tx.outbox_cursors.put(session_id, 1)
        await tx.cron_jobs.add_run(
            CronRun(f"job-{session_id}", 1.0, RunStatus.DONE, session_id=session_id, turn_id=turn_ids[0])
        )
        await tx.turns.keep_system_prompt(session_id, b"{}")
        attachment = Attachment(f"att-{session_id}", "a.txt", "text/plain", 1, "alice", session_id)
        await tx.attachments.put_if_new(attachment, is_used=True)
        await tx.attachments.add_piece(attachment.id, 0, b"x")
        await tx.sessions.delete(session_id, 1.0)

    await store.write(body, lock=[session_id])
    if store.words is not None:
        head = WordsHead(session_id, turn_ids[0], 1, 1)
        await store.words.write([WordsPart(head, 1, 1, Said("word", "", (4,)))], [])


async def columns_of(kind: str, sql: Sql) -> dict[str, list[str]]:
    """The tables of the schema, each with those of its columns that may name something."""
    columns: dict[str, list[str]] = {}
    for table, column in await sql(_COLUMNS[kind]):
        columns.setdefault(table, []).append(column)
    return columns


async def left_of(kind: str, sql: Sql, *names: str) -> dict[str, int]:
    """How many rows of each table name one of these, in whatever column."""
    named = ", ".join(f"'{name}'" for name in names)
    counts = [
        f"SELECT '{table}', count(*) FROM {table} WHERE " + " OR ".join(f"{column} IN ({named})" for column in columns)
        for table, columns in (await columns_of(kind, sql)).items()
    ]
    return {table: count for table, count in await sql(" UNION ALL ".join(counts)) if count}


async def test_a_step_of_a_purge_removes_as_many_rows_as_it_may(store: Store, sql: Sql) -> None:
    await have_session(store)
    await store.write(lambda tx: tx.events.append("s1", None, some_events(5)), lock=["s1"])

    async def step() -> tuple[bool, int]:
        goes_on = await store.write(lambda tx: tx.purges.remove_some("s1", 2), lock=["s1"])
        ((left,),) = await sql("SELECT count(*) FROM events")
        return goes_on, left

    assert [await step() for _ in range(3)] == [(True, 3), (True, 1), (False, 0)]


async def test_nothing_of_a_purged_session_is_left_in_any_table(store: Store, kind: str, sql: Sql) -> None:
    turns = ["t1", "t2", "t3", "t4", "t5"]
    await fill(store, "s2", "u1")
    for number in range(4):
        await have_task(store, a_task(f"before-{number}", "s2", turn_id="u1", index=number + 5))
    await fill(store, "s1", *turns)
    kept = await left_of(kind, sql, "s2", "u1", "task-s2")
    columns = await columns_of(kind, sql)
    of_sessions = {table for table in columns if {"session_id", "turn_id"} & set(columns[table])}
    # A table that is new must be filled above, or this test would not look at it.
    assert set(kept) == of_sessions | {"sessions"}

    await purge(store, "s1")
    await purge(store, "s1")

    assert await left_of(kind, sql, "s1", *turns, "task-s1", "row-s1") == {}
    assert await left_of(kind, sql, "s2", "u1", "task-s2") == kept


@pytest.mark.parametrize("how", ["a turn", "a head"])
async def test_turns_that_another_session_grows_from_stay_until_that_is_gone(
    store: Store, kind: str, sql: Sql, how: str
) -> None:
    await fill(store, "s1", "t1", "t2", "t3")
    if how == "a turn":
        await have_turn(store, "b1", "branch", parent="t2")
        await settle(store, "b1")
    else:
        await have_session(store, "branch", head="t2", checkpoint="t2")

    await purge(store, "s1")
    assert await left_of(kind, sql, "t3", "task-s1", "row-s1") == {}
    of_session = await left_of(kind, sql, "s1")
    assert of_session == {"sessions": 1, "turns": 2, "search_docs": 2, "attachments": 1}
    assert await store.read(lambda tx: tx.sessions.to_purge(NOW)) == []
    newest = "b1" if how == "a turn" else "t2"
    assert await store.read(lambda tx: tx.journal.count_chain(newest)) == 2

    await purge(store, "branch")
    assert await store.read(lambda tx: tx.sessions.to_purge(NOW)) == ["s1"]
    await purge(store, "s1")
    assert await left_of(kind, sql, "s1", "t1", "t2", "t3") == {}
