"""Transactions that write: whole or not at all, and without effect on others."""

import asyncio

import pytest

from tests.store.conftest import FakeClock, Meanwhile
from tests.store.nouns import a_row, a_session, a_turn, append, have_session, have_turn, some_events
from wakeful.errors import StoreError
from wakeful.model.event import Event
from wakeful.model.opening import Opening
from wakeful.store.base import Signal, Store, Transaction


class _Refused(Exception):
    pass


class _BrokenOff(BaseException):
    """As a body would be by an interruption, which is no Exception."""


async def test_what_the_body_returns_reaches_the_caller(store: Store) -> None:
    async def body(tx: Transaction) -> str:
        await tx.sessions.create_if_absent(a_session())
        session = await tx.sessions.get("s1")
        assert session is not None
        return session.owner

    assert await store.write(body) == "alice"


async def test_a_body_that_raises_leaves_no_trace(store: Store, signals: list[Signal]) -> None:
    await have_session(store)
    signals.clear()
    error = _Refused()

    async def body(tx: Transaction) -> None:
        await tx.sessions.create_if_absent(a_session("s2"))
        await tx.inbox.post_if_new(a_row())
        await tx.open(Opening(a_turn()))
        await tx.events.append("s1", "t1", some_events(2))
        raise error

    with pytest.raises(_Refused) as caught:
        await store.write(body, lock=["s1"])

    assert caught.value is error
    assert signals == []
    assert await store.read(lambda tx: tx.sessions.get("s1")) == a_session()
    assert await store.read(lambda tx: tx.sessions.get("s2")) is None
    assert await store.read(lambda tx: tx.inbox.pending("s1")) == []
    assert await store.read(lambda tx: tx.turns.get("t1")) is None
    assert await store.read(lambda tx: tx.events.of_session("s1", 0, 10)) == []


async def test_a_body_that_is_broken_off_leaves_no_trace_and_the_store_goes_on(store: Store) -> None:
    await have_session(store)

    async def break_off(tx: Transaction) -> None:
        await tx.events.append("s1", None, some_events(1))
        raise _BrokenOff

    with pytest.raises(_BrokenOff):
        await store.write(break_off, lock=["s1"])

    await store.write(lambda tx: tx.events.append("s1", None, some_events(1)), lock=["s1"])
    log = await store.read(lambda tx: tx.events.of_session("s1", 0, 10))
    assert [event.session_seq for event in log] == [1]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
async def test_a_body_may_wait_for_nothing_but_its_transaction(store: Store) -> None:
    """It runs on a thread that has no event loop, and everyone waits for that thread."""
    has_ended = False

    async def wait(_: Transaction) -> None:
        nonlocal has_ended
        try:
            await asyncio.sleep(0)
        finally:
            has_ended = True

    with pytest.raises(RuntimeError, match="awaited something other than its transaction"):
        await store.write(wait)
    assert has_ended


async def test_a_write_that_fails_does_not_hurt_its_neighbours(store: Store) -> None:
    lease = await have_turn(store)

    async def refuse(tx: Transaction) -> list[Event]:
        await tx.events.append("s1", "t1", some_events(1))
        raise _Refused

    async def collide(tx: Transaction) -> list[Event]:
        appended = await tx.events.append("s1", "t1", some_events(1))
        await tx.open(Opening(a_turn("t2")))
        return appended

    results = await asyncio.gather(
        store.write(lambda tx: tx.events.append("s1", "t1", some_events(1)), lock=["s1"]),
        store.write(refuse, lock=["s1"]),
        append(store, lease, some_events(1)),
        store.write(collide, lock=["s1"]),
        store.write(lambda tx: tx.events.append("s1", "t1", some_events(1)), lock=["s1"]),
        return_exceptions=True,
    )

    assert [isinstance(result, Exception) for result in results] == [False, True, False, True, False]
    assert isinstance(results[1], _Refused)
    assert isinstance(results[3], StoreError)
    log = await store.read(lambda tx: tx.events.of_session("s1", 0, 10))
    assert [event.session_seq for event in log] == [1, 2, 3]


async def test_a_locked_session_is_written_by_one_transaction_at_a_time(store: Store) -> None:
    """Reads the counter and adds one, fifty times at once. Without the lock two of them would read the same."""
    await have_session(store)

    async def body(tx: Transaction) -> int:
        session = await tx.sessions.get("s1")
        assert session is not None
        await tx.events.append("s1", None, some_events(1))
        return session.last_seq

    seen = await asyncio.gather(*(store.write(body, lock=["s1"]) for _ in range(50)))

    assert sorted(seen) == list(range(50))


async def test_a_created_session_counts_as_locked(store: Store) -> None:
    async def body(tx: Transaction) -> bool:
        await tx.sessions.create_if_absent(a_session())
        return await tx.inbox.post_if_new(a_row())

    assert await store.write(body)


async def test_a_lock_on_a_missing_session_is_harmless(store: Store) -> None:
    assert await store.write(lambda tx: tx.sessions.get("missing"), lock=["missing", "s1"]) is None


async def test_a_write_finishes_when_its_caller_is_cancelled(store: Store) -> None:
    await have_session(store)
    is_signalled = asyncio.Event()
    store.notifier.listen(lambda signal: is_signalled.set())
    writing = asyncio.create_task(store.write(lambda tx: tx.events.append("s1", None, some_events(1)), lock=["s1"]))
    await asyncio.sleep(0)

    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await is_signalled.wait()

    session = await store.read(lambda tx: tx.sessions.get("s1"))
    assert session is not None
    assert session.last_seq == 1


# SQLite has one writer: there every session is locked.
@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
async def test_writes_of_other_sessions_do_not_wait_for_a_slow_body(store: Store, meanwhile: Meanwhile) -> None:
    await have_session(store, "s1")
    await have_session(store, "s2")

    async def slow(tx: Transaction) -> None:
        await meanwhile(store.write(lambda tx: tx.sessions.wake_later("s2", 5.0), lock=["s2"]))

    await store.write(slow, lock=["s1"])

    session = await store.read(lambda tx: tx.sessions.get("s2"))
    assert session is not None
    assert session.wake_at == 5.0


async def test_a_transaction_tells_the_time_of_the_store(store: Store, clock: FakeClock) -> None:
    await clock.set(1234.5)

    assert await store.write(lambda tx: tx.now()) == 1234.5
    assert await store.read(lambda tx: tx.now()) == 1234.5


async def test_commits_are_counted_and_timed_and_failed_writes_leave_the_queue(store: Store) -> None:
    async def refuse(tx: Transaction) -> None:
        raise _Refused

    before = store.stats.commit_seconds.count
    await have_session(store)
    with pytest.raises(_Refused):
        await store.write(refuse)
    assert store.stats.commit_seconds.count > before
    assert store.stats.group_sizes.count == store.stats.commit_seconds.count
    assert store.stats.queue == 0
    assert store.stats.seconds_since_success is not None
