"""What a store signals after a commit: the changed sessions, the turns to stop, and the events themselves."""

import asyncio
import logging
from itertools import pairwise

import pytest

from tests.store.nouns import a_row, a_task, append, close_turn, have_session, have_task, have_turn, some_events
from wakeful.store.base import Signal, Store, Transaction


async def test_a_commit_tells_of_its_sessions_with_their_events(store: Store, signals: list[Signal]) -> None:
    await have_session(store, "s1")
    await have_session(store, "s2")

    async def body(tx: Transaction) -> None:
        await tx.events.append("s2", None, some_events(1))
        await tx.events.append("s1", None, some_events(2))

    await store.write(body, lock=["s1", "s2"])

    (signal,) = signals
    assert signal.sessions == {"s1", "s2"}
    assert [(event.session_id, event.session_seq) for event in signal.events] == [
        ("s2", 1),
        ("s1", 1),
        ("s1", 2),
    ]
    assert (signal.fenced, signal.is_everything) == ({}, False)


async def test_a_new_row_is_signalled_and_a_known_one_is_not(store: Store, signals: list[Signal]) -> None:
    await have_session(store)

    for _ in range(2):
        await store.write(lambda tx: tx.inbox.post_if_new(a_row()), lock=["s1"])

    assert signals == [Signal(frozenset({"s1"}))]


async def test_an_ended_or_taken_turn_is_signalled_with_its_new_epoch(store: Store, signals: list[Signal]) -> None:
    await have_turn(store)

    await store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, "node2"), lock=["s1"])
    await store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, "node3"), lock=["s1"])
    await close_turn(store, "t1")

    assert signals == [Signal(frozenset(), {"t1": 2}), Signal(frozenset(), {"t1": 3})]


async def test_an_intended_kill_is_signalled_to_the_watching_node(store: Store, signals: list[Signal]) -> None:
    await have_task(store, a_task())

    await store.write(lambda tx: tx.tasks.intend_kill_if_running("k1"))
    await store.write(lambda tx: tx.tasks.intend_kill_if_running("missing"))

    assert signals == [Signal(frozenset({"s1"}))]


async def test_appends_are_signalled_once_each_in_order_within_a_commit(store: Store, signals: list[Signal]) -> None:
    first, second = await have_turn(store, "t1", "s1"), await have_turn(store, "t2", "s2")

    await asyncio.gather(*(append(store, lease, some_events(3)) for _ in range(20) for lease in (first, second)))

    signalled = [event for signal in signals for event in signal.events]
    for session_id in ("s1", "s2"):
        numbers = [event.session_seq for event in signalled if event.session_id == session_id]
        # Commits on several connections may be signalled in another order than they happened in.
        assert sorted(numbers) == list(range(1, 61))
        assert all(after == before + 1 for before, after in pairwise(numbers) if before % 3)
    assert all(signal.sessions == {e.session_id for e in signal.events} for signal in signals)


async def test_a_commit_without_changes_to_follow_is_not_signalled(store: Store, signals: list[Signal]) -> None:
    lease = await have_turn(store)

    await store.write(lambda tx: tx.nodes.renew("node1", 5.0, host="host1"))
    await store.write(lambda tx: tx.sessions.wake_later("s1", 5.0), lock=["s1"])
    await append(store, lease, [])

    assert signals == []


async def test_listeners_are_called_before_the_writer_continues(store: Store, signals: list[Signal]) -> None:
    lease = await have_turn(store)

    await append(store, lease, some_events(1))
    assert len(signals) == 1

    await store.write(lambda tx: tx.events.append("s1", None, some_events(1)), lock=["s1"])
    assert len(signals) == 2


async def test_a_signalled_change_can_be_read(store: Store) -> None:
    """Durable before visible."""
    lease = await have_turn(store)
    reads: list[asyncio.Future[int]] = []

    async def count() -> int:
        return len(await store.read(lambda tx: tx.events.of_session("s1", 0, 100)))

    store.notifier.listen(lambda signal: reads.append(asyncio.ensure_future(count())))
    for _ in range(5):
        await append(store, lease, some_events(1))

    counts = await asyncio.gather(*reads)
    assert all(count >= number for number, count in enumerate(counts, start=1))


async def test_a_listener_that_fails_is_logged_and_the_others_are_called(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[Signal] = []

    def fail(signal: Signal) -> None:
        raise ZeroDivisionError

    store.notifier.listen(fail)
    store.notifier.listen(heard.append)
    lease = await have_turn(store)
    with caplog.at_level(logging.ERROR):
        await append(store, lease, some_events(1))

    assert len(heard) == 1
    assert "ZeroDivisionError" in caplog.text
