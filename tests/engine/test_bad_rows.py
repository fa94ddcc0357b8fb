"""Rows that are damaged or that this version does not understand: they affect no other row, and no start fails."""

import sqlite3

import orjson
import pytest

from tests.engine.kit import (
    House,
    Node,
    begin_task,
    events_of,
    exit_of,
    finish,
    open_session,
    send,
    session_of,
    task_of,
    wakeups_of,
)
from tests.store.admin import Admin
from wakeful.engine.inbox.submission import Receipt
from wakeful.model.tasks.goal import Goal
from wakeful.model.turn import Turn, TurnStatus
from wakeful.store.base import Transaction
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore


async def damage(house: House, table: str, which: str, **columns: str | bytes | None) -> None:
    """Change a row as another version or a bad disk might have."""
    changes = ", ".join(f"{name} = {literal(house, value)}" for name, value in columns.items())
    statement = f"UPDATE {table} SET {changes} WHERE {which}"
    if isinstance(house.store, SqliteStore):
        connection = sqlite3.connect(house.store._path, isolation_level=None)
        connection.execute(statement)
        connection.close()
    else:
        assert isinstance(house.store, PostgresStore)
        async with Admin(house.store._address.url) as admin:
            await admin.execute(statement)


def literal(house: House, value: str | bytes | None) -> str:
    if not isinstance(value, bytes):
        return "NULL" if value is None else f"'{value}'"
    return f"X'{value.hex()}'" if isinstance(house.store, SqliteStore) else rf"'\x{value.hex()}'"


async def successor_of(house: House, node: Node) -> Node:
    await house.kill(node)
    await house.advance(60)
    return await house.start_node()


async def running(node: Node, house: House, *names: str) -> list[Receipt]:
    receipts = [await send(node, await open_session(node), name) for name in names]
    await house.settle()
    return receipts


async def turn_of(house: House, receipt: Receipt) -> Turn:
    async def body(tx: Transaction) -> Turn:
        turn = await tx.turns.get(receipt.turn_id)
        assert turn is not None
        return turn

    return await house.store.read(body)


NOT_UNDERSTOOD = [
    b"{",
    b"null",
    b'"text"',
    b'{"kind": "hologram"}',
    b'{"a_field_of_tomorrow": 1}',
    b'{"echo": 5}',
    b'{"tools": [{"name": "x", "of_tomorrow": true}]}',
    b'{"allowed_tools": 7}',
]


async def test_a_resumed_turn_whose_request_is_not_understood_fails_alone_and_says_why(
    house: House, node: Node
) -> None:
    good, *bad = await running(node, house, "good", *(f"bad {stored!r}" for stored in NOT_UNDERSTOOD))
    for receipt, stored in zip(bad, NOT_UNDERSTOOD, strict=True):
        await damage(house, "turns", f"id = '{receipt.turn_id}'", request=stored)
    second = await successor_of(house, node)
    for receipt, stored in zip(bad, NOT_UNDERSTOOD, strict=True):
        ended = (await events_of(second, receipt.session_id, receipt.turn_id))[-1]
        assert (ended.kind, ended.data.get("code")) == ("failed", "request_not_understood"), stored
        assert "send it again" in ended.data["message"]
        assert (await session_of(house, receipt.session_id)).active is None
    await finish(second, house, good)
    assert (await turn_of(house, good)).status is TurnStatus.DONE


async def test_a_queued_message_that_cannot_be_read_opens_a_turn_that_fails_and_the_queue_goes_on(
    house: House, node: Node
) -> None:
    session_id = await open_session(node)
    first = await send(node, session_id, "first")
    bad, good = await send(node, session_id, "bad"), await send(node, session_id, "good")
    await house.settle()
    await damage(house, "inbox", f"turn_id = '{bad.turn_id}'", payload=b"[1")
    second = await successor_of(house, node)
    await finish(second, house, first)
    ended = (await events_of(second, session_id, bad.turn_id))[-1]
    assert (ended.kind, ended.data["code"]) == ("failed", "request_not_understood")
    await finish(second, house, good)
    assert (await turn_of(house, good)).status is TurnStatus.DONE


async def test_a_notice_that_cannot_be_read_wakes_its_session_once_and_says_so(house: House, node: Node) -> None:
    (receipt,) = await running(node, house, "go")
    await begin_task(node, receipt, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    await damage(house, "inbox", "kind = 'notice'", payload=b"\xff")
    second = await successor_of(house, node)
    await finish(second, house, receipt)
    await house.advance(1)
    await house.settle()
    (wakeup,) = await wakeups_of(house, receipt.session_id)
    ended = (await events_of(second, receipt.session_id, wakeup))[-1]
    assert ended.data["code"] == "request_not_understood"


async def test_a_row_of_an_unknown_kind_waits_and_what_comes_after_it_does_not(
    house: House, node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    session_id = await open_session(node)
    first = await send(node, session_id, "first")
    bad, good = await send(node, session_id, "bad"), await send(node, session_id, "good")
    await house.settle()
    await damage(house, "inbox", f"turn_id = '{bad.turn_id}'", kind="telepathy")
    second = await successor_of(house, node)
    await finish(second, house, first)
    await finish(second, house, good)
    assert (await turn_of(house, good)).status is TurnStatus.DONE
    assert "'telepathy' is not a valid RowKind" in caplog.text


async def test_a_turn_of_an_unknown_status_is_shown_as_failed_and_a_stop_frees_its_session(
    house: House, node: Node
) -> None:
    bad, good = await running(node, house, "bad", "good")
    await damage(house, "turns", f"id = '{bad.turn_id}'", status="dreaming")
    second = await successor_of(house, node)
    shown = await turn_of(house, bad)
    assert shown.status is TurnStatus.FAILED
    assert orjson.loads(shown.error or b"")["code"] == "status_not_understood"
    await finish(second, house, good)
    assert await second.engine.cancel(bad.session_id)
    assert (await session_of(house, bad.session_id)).active is None


async def test_tasks_of_an_unknown_kind_or_without_a_session_are_left_alone(
    house: House, node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    (receipt,) = await running(node, house, "go")
    for name in ("odd", "good"):
        await begin_task(node, receipt, name)
    turn = node.agent.briefs[receipt.turn_id].turn
    lost, found = await node.engine.delegations.begin(turn, 1, 1, [Goal("one"), Goal("two")], is_inline=False)
    await damage(house, "tasks", "id = 'odd'", kind="seance")
    await damage(house, "sessions", f"id = '{found.child_session_id}'", title_origin="dream")
    await damage(house, "tasks", f"id = '{lost.id}'", child_session_id=None)
    second = await successor_of(house, node)
    assert second.processes.adopted == ["good"]
    assert "seance" in caplog.text
    assert f"delegation {lost.id} has no session" in caplog.text
    await finish(second, house, receipt)
    turns = [brief.turn for brief in second.agent.briefs.values()]
    (child,) = [turn for turn in turns if turn.session_id == found.child_session_id]
    second.agent.order(child.id, "say found")
    await house.settle()
    assert (await task_of(house, found.id)).result == "found"
