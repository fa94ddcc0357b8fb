"""Openings: values go in whole, in few statements, alone or in groups."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests.store.conftest import FakeClock
from tests.store.nouns import (
    a_row,
    a_session,
    a_turn,
    an_input,
    an_opening,
    close_turn,
    have_row,
    have_session,
    have_turn,
    lane_of,
    some_events,
)
from wakeful.errors import NameTaken, SessionNotFound, StoreError
from wakeful.model.api.conversation import Conversation
from wakeful.model.event import Event
from wakeful.model.inbox import RowKind, RowStatus
from wakeful.model.opening import Opened, Opening
from wakeful.model.session import TitleOrigin
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Store, Transaction
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.sqlite.store import SqliteStore

DONE = Outcome(TurnStatus.DONE)


async def test_a_session_is_created_with_its_first_turn_and_all_that_belongs_to_it(
    store: Store, clock: FakeClock
) -> None:
    opening = an_opening("a", conversation=Conversation("conv_a", "alice", "session_a", "notes"), title="Words")

    opened = await store.open_new(opening)

    lane, row, entries, log, named = await store.read(_all_of(opening))
    assert lane is not None
    session = lane.session
    assert (session.active, session.last_seq) == (opened.turn.id, 3)
    assert (session.title, session.title_origin) == ("Words", TitleOrigin.WORDS)
    assert (session.created_at, session.updated_at, opened.turn.opened_at, row.created_at) == (clock.now,) * 4
    assert lane.active == opened.turn
    assert (row.status, row.claimed_by) == (RowStatus.CLAIMED, opened.turn.id)
    assert entries == [replace(opening.entries[0], at=clock.now)]
    assert log == list(opened.events)
    assert [(event.session_seq, event.turn_id, event.turn_seq) for event in log] == [
        (1, opened.turn.id, 1),
        (2, opened.turn.id, 2),
        (3, None, None),
    ]
    assert named is not None
    assert named.created_at == clock.now


async def test_of_new_sessions_that_want_one_name_one_is_opened_and_the_others_leave_nothing(store: Store) -> None:
    openings = [
        an_opening(name, conversation=Conversation(f"conv_{name}", "alice", f"session_{name}", "notes"))
        for name in ("a", "b", "c")
    ]

    results = await _open_all(store, [*openings, an_opening("d")])

    assert sorted(type(result).__name__ for result in results) == ["NameTaken", "NameTaken", "Opened", "Opened"]
    for opening, result in zip(openings, results, strict=False):
        lane, row, *_ = await store.read(_all_of(opening))
        assert [lane is not None, row is not None] == [isinstance(result, Opened)] * 2


async def test_one_that_cannot_be_written_fails_alone(store: Store) -> None:
    broken = an_opening("b")
    broken = replace(broken, turn=replace(broken.turn, parent="missing"))

    results = await _open_all(store, [an_opening("a"), broken, an_opening("c")])

    assert [type(result) for result in results] == [Opened, StoreError, Opened]
    assert await store.read(lambda tx: tx.sessions.get("session_b")) is None


async def test_a_turn_of_a_missing_session_is_not_opened(store: Store) -> None:
    with pytest.raises(SessionNotFound):
        await store.write(lambda tx: tx.open(Opening(a_turn())), lock=["s1"])

    assert await store.read(lambda tx: tx.turns.get("t1")) is None


async def test_an_opening_whose_caller_has_gone_is_written_and_those_after_it_too(store: Store) -> None:
    await have_session(store)
    gone = asyncio.ensure_future(store.open_new(an_opening("gone")))
    await asyncio.sleep(0)
    gone.cancel()

    await store.open_new(an_opening("a"))
    await store.open_new(an_opening("b"))

    assert await store.read(lambda tx: tx.sessions.get("session_gone")) is not None
    assert await store.read(lambda tx: tx.sessions.get("session_b")) is not None


async def test_an_opening_in_a_transaction_tells_of_a_name_that_is_taken(store: Store) -> None:
    await store.open_new(an_opening("a"))

    with pytest.raises(NameTaken):
        await store.write(lambda tx: tx.open(an_opening("a")))


async def test_an_idle_session_is_opened_with_rows_that_waited_and_one_that_comes_in(store: Store) -> None:
    await have_turn(store, "t0")
    await close_turn(store, "t0", is_held=True)
    waiting = await have_row(store, a_row("n1", kind=RowKind.NOTICE))
    await store.write(lambda tx: tx.sessions.wake_later("s1", 99.0), lock=["s1"])
    opening = Opening(
        a_turn(parent="t0"), (waiting.id,), (a_row("m1"),), facts=tuple(some_events(2)), releases_hold=True
    )

    opened = await store.write(lambda tx: tx.open(opening), lock=["s1"])

    lane = await lane_of(store, key="m1")
    assert lane.active == replace(opened.turn, number=2)
    assert (lane.session.is_held, lane.session.wake_at, lane.pending) == (False, None, ())
    assert lane.known is not None
    assert lane.known.claimed_by == "t1"
    assert await store.read(lambda tx: tx.inbox.pending("s1")) == []


@pytest.mark.parametrize("given", [0.0, 5.0])
async def test_what_has_a_time_keeps_it_and_what_has_none_gets_that_of_the_store(
    store: Store, clock: FakeClock, given: float
) -> None:
    turn = a_turn("turn", "s1", opened_at=given)
    session = a_session("s1", created_at=given, updated_at=given)
    row = a_row("m1", turn_id="turn", created_at=given)
    await store.open_new(Opening(turn, posted=(row,), session=session, entries=(an_input("turn", "x"),)))

    lane = await lane_of(store)
    found = await store.read(lambda tx: tx.inbox.find("s1", "m1"))
    (entry,) = await store.read(lambda tx: tx.journal.of_turns(["turn"]))

    assert lane.active is not None
    assert found is not None
    assert [lane.session.created_at, lane.active.opened_at, found.created_at] == [given or clock.now] * 3
    assert entry.at == clock.now


async def test_many_new_sessions_are_opened_with_five_statements(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    await store.open_new(an_opening("first"))
    with _counted(store, monkeypatch) as statements:
        results = await _open_all(store, [an_opening(f"number{number}") for number in range(40)])

    assert all(isinstance(result, Opened) for result in results)
    # The first one may be written alone, before the others arrive.
    groups = len([text for text in statements if text.startswith("BEGIN")])
    assert groups in (1, 2)
    if isinstance(store, SqliteStore):
        statements = [text for text in statements if not text.startswith(("BEGIN", "COMMIT"))]
    assert len(statements) <= 5 * groups


async def test_an_idle_session_is_opened_in_four_round_trips(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    await have_session(store)
    opening = Opening(a_turn(), posted=(a_row(),), entries=(an_input("t1", "x"),), facts=tuple(some_events(2)))

    async def body(tx: Transaction) -> None:
        await tx.lane("s1", wake_budget=30, key="m1")
        await tx.open(opening)

    with _counted(store, monkeypatch) as statements:
        await store.write(body, lock=["s1"])

    if isinstance(store, SqliteStore):
        # A read and five writes; the others begin and end the transaction.
        assert len([text for text in statements if text.split()[0] in ("SELECT", "INSERT", "UPDATE")]) == 6
    else:
        assert len(statements) == 4


class _CountingConnection:
    """Counts the statements that are run on a connection, but not those of triggers."""

    def __init__(self, connection: sqlite3.Connection, texts: list[str]) -> None:
        self._connection = connection
        self._texts = texts

    def execute(self, text: str, *arguments: Any) -> sqlite3.Cursor:
        self._texts.append(text.strip())
        return self._connection.execute(text, *arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@contextmanager
def _counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the statements that SQLite runs, or the round trips to a server."""
    texts: list[str] = []
    if isinstance(store, SqliteStore):
        writer = store._writer
        assert writer is not None
        monkeypatch.setattr(writer, "_connection", _CountingConnection(writer._connection, texts))
        yield texts
        monkeypatch.undo()
        return
    for name in ("fetch", "fetchrow", "fetchval", "execute"):
        monkeypatch.setattr(PostgresConnection, name, _counting(getattr(PostgresConnection, name), texts))
    yield texts
    monkeypatch.undo()


def _counting(call: Callable[..., Any], texts: list[str]) -> Callable[..., Any]:
    async def counted(connection: PostgresConnection, query: str, *arguments: object) -> Any:
        # Other nodes are notified afterwards, on a separate connection.
        if "pg_notify" not in query:
            texts.append(query.strip())
        return await call(connection, query, *arguments)

    return counted


async def _open_all(store: Store, openings: list[Opening]) -> list[Opened | BaseException]:
    return await asyncio.gather(*map(store.open_new, openings), return_exceptions=True)


def _all_of(opening: Opening) -> Any:
    turn = opening.turn

    async def body(tx: Transaction) -> tuple[Any, ...]:
        log: list[Event] = await tx.events.of_session(turn.session_id, 0, 10)
        return (
            await tx.lane(turn.session_id, wake_budget=1),
            await tx.inbox.find_by_turn(turn.id),
            await tx.journal.of_turns([turn.id]),
            log,
            await tx.conversations.named("alice", "notes"),
        )

    return body
