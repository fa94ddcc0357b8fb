"""The thread that writes a SQLite file: what waits is committed together, and each caller gets its own answer."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.store.nouns import a_row, a_session, an_opening, have_session, some_events
from wakeful.errors import NameTaken, StoreError
from wakeful.model.event import Event
from wakeful.store.base import Signal, Transaction
from wakeful.store.sqlite import writer
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
async def store(sqlite_path: Path) -> AsyncIterator[SqliteStore]:
    """A store with the session s1."""
    store = SqliteStore(sqlite_path, lambda: 1_000.0, synchronous="OFF")
    await store.open()
    await have_session(store)
    yield store
    await store.close()


@pytest.fixture
def signals(store: SqliteStore) -> list[Signal]:
    heard: list[Signal] = []
    store.notifier.listen(heard.append)
    return heard


async def held_up(store: SqliteStore) -> tuple[asyncio.Task[None], threading.Event]:
    """Make the writer wait in a write of its own, so that all that comes meanwhile makes one group."""
    has_begun, may_go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    async def wait(_: Transaction) -> None:
        loop.call_soon_threadsafe(has_begun.set)
        assert may_go_on.wait(PATIENCE)

    holding = asyncio.create_task(store.write(wait))
    await has_begun.wait()
    return holding, may_go_on


async def append(tx: Transaction) -> list[Event]:
    return await tx.events.append("s1", None, some_events(1))


async def refuse(tx: Transaction) -> list[Event]:
    await append(tx)
    raise KeyError("mine")


async def collide(tx: Transaction) -> None:
    await append(tx)
    await tx.sessions.create_if_absent(a_session("s2"))
    await tx.inbox.post_if_new(a_row("m1", "missing"))


async def test_what_waits_is_committed_and_signalled_once_without_what_failed(
    store: SqliteStore, signals: list[Signal]
) -> None:
    before = store.stats.group_sizes.count
    holding, may_go_on = await held_up(store)
    waiting = asyncio.gather(
        store.write(append, lock=["s1"]),
        store.write(refuse, lock=["s1"]),
        store.open_new(an_opening("new")),
        store.write(append, lock=["s1"]),
        return_exceptions=True,
    )
    await asyncio.sleep(0)
    may_go_on.set()
    await holding

    first, refused, opened, second = await waiting

    assert isinstance(refused, KeyError)
    assert not isinstance(first, BaseException)
    assert not isinstance(second, BaseException)
    assert [event.session_seq for event in (*first, *second)] == [1, 2]
    assert not isinstance(opened, BaseException)
    (signal,) = signals
    assert signal.sessions == {"s1", "session_new"}
    # The openings come first.
    assert list(signal.events) == [*opened.events, *first, *second]
    assert store.stats.group_sizes.count - before == 2


async def test_openings_that_collide_are_told_apart(store: SqliteStore, signals: list[Signal]) -> None:
    await store.open_new(an_opening("old"))
    signals.clear()
    holding, may_go_on = await held_up(store)
    waiting = asyncio.gather(
        *(store.open_new(an_opening(name)) for name in ("a", "old", "b")),
        store.write(append, lock=["s1"]),
        return_exceptions=True,
    )
    await asyncio.sleep(0)
    may_go_on.set()
    await holding

    one, taken, two, written = await waiting

    assert isinstance(taken, NameTaken)
    assert not isinstance(one, BaseException)
    assert not isinstance(two, BaseException)
    assert not isinstance(written, BaseException)
    (signal,) = signals
    assert signal.sessions == {"session_a", "session_b", "s1"}
    assert await store.read(lambda tx: tx.sessions.get("session_b")) is not None


async def test_a_group_is_not_larger_than_it_may_be(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_MOST_WRITES", 2)
    before = store.stats.group_sizes.count
    holding, may_go_on = await held_up(store)
    waiting = asyncio.gather(*(store.write(append, lock=["s1"]) for _ in range(5)))
    await asyncio.sleep(0)
    may_go_on.set()
    await holding

    numbers = [event.session_seq for (event,) in await waiting]

    assert numbers == [1, 2, 3, 4, 5]
    assert store.stats.group_sizes.count - before == 4


async def test_a_statement_that_fails_undoes_its_write_and_nothing_else(store: SqliteStore) -> None:
    with pytest.raises(StoreError):
        await store.write(collide, lock=["s1", "missing"])

    assert await store.read(lambda tx: tx.sessions.get("s1")) == a_session()
    assert await store.read(lambda tx: tx.sessions.get("s2")) is None
    assert [event.session_seq for event in await store.write(append, lock=["s1"])] == [1]
