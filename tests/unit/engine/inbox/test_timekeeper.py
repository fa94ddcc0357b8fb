"""When the timekeeper looks, and what it opens."""

from collections.abc import Collection
from typing import Any

import pytest

from tests.engine.kit import House, NodeStore
from tests.store.nouns import a_row, have_row, have_session
from wakeful.engine.inbox.dispatcher import Dispatcher
from wakeful.engine.inbox.timekeeper import Timekeeper
from wakeful.engine.settings import EngineSettings
from wakeful.engine.words.words import LiveWords
from wakeful.errors import SessionLocked, StoreUnavailable
from wakeful.model.event import Event
from wakeful.model.inbox import RowKind
from wakeful.model.session import WakeReason
from wakeful.model.spend import Spend
from wakeful.store.base import Signal


class NotedCommits:
    """Runs what is to be committed, and notes it; or finds all sessions locked."""

    def __init__(self, store: NodeStore, *, is_locked: bool = False) -> None:
        self._store = store
        self._is_locked = is_locked
        self.asked: list[tuple[list[str], float | None]] = []
        self.opened: list[str] = []

    async def commit(self, body: Any, *, lock: Collection[str], patience: float | None = None) -> None:
        self.asked.append((list(lock), patience))
        if self._is_locked:
            raise SessionLocked
        _, assignment = await self._store.write(body, lock=lock)
        self.opened += [] if assignment is None else [assignment.turn.id]


class Bench:
    def __init__(
        self, house: House, *, is_exclusive: bool = True, is_locked: bool = False, cap: float | None = None
    ) -> None:
        settings = EngineSettings(daily_spend_usd=cap, lease_seconds=3.0)
        self.store = NodeStore(house.store, house.traffic, is_exclusive=is_exclusive)
        self.commits = NotedCommits(self.store, is_locked=is_locked)
        commits: Any = self.commits
        dispatcher = Dispatcher("node1", settings, LiveWords(house.clock))
        self.timekeeper = Timekeeper(self.store, dispatcher, commits, house.clock, settings)

    async def sweep(self) -> float | None:
        return await self.timekeeper.sweep()


async def let_wait(house: House, reason: WakeReason = WakeReason.SPEND) -> None:
    at = house.clock.now + 60
    await house.store.write(lambda tx: tx.sessions.wake_later("s1", at, reason), lock=["s1"])


async def waits_until(house: House) -> float | None:
    session = await house.store.read(lambda tx: tx.sessions.get("s1"))
    assert session is not None
    return session.wake_at


@pytest.mark.parametrize(
    ("cap", "spent", "is_ended"), [(None, 9.0, True), (5.0, 4.0, True), (5.0, 5.0, False), (5.0, 9.0, False)]
)
async def test_a_server_that_starts_ends_waits_for_midnight_if_the_cap_is_not_reached(
    house: House, cap: float | None, spent: float, is_ended: bool
) -> None:
    await have_session(house.store)
    await let_wait(house)
    await house.store.write(lambda tx: tx.spending.add_unstored("bob", Spend(usd=spent)))

    await Bench(house, cap=cap).sweep()

    assert (await waits_until(house) is None) is is_ended


async def test_waits_for_midnight_are_ended_only_once(house: House) -> None:
    bench = Bench(house)
    await have_session(house.store)
    await bench.sweep()
    await let_wait(house)

    await bench.sweep()

    assert await waits_until(house) == house.clock.now + 60


@pytest.mark.parametrize("count", [1, 4, 5, 9])
async def test_all_that_is_due_is_opened_and_no_lock_is_waited_for_long(house: House, count: int) -> None:
    sessions = {f"s{number}" for number in range(count)}
    for session_id in sessions:
        await have_row(house.store, a_row("m1", session_id))
    bench = Bench(house)

    await bench.sweep()

    assert set(bench.commits.opened) == {f"turn_of_{session_id}_m1" for session_id in sessions}
    assert sorted(bench.commits.asked) == sorted(([session_id], 0.5) for session_id in sessions)


async def test_a_session_that_another_node_has_locked_is_no_failure(house: House) -> None:
    await have_row(house.store, a_row("m1"))
    bench = Bench(house, is_locked=True)

    await bench.sweep()

    assert len(bench.commits.asked) == 1
    assert bench.timekeeper.job.counts.row_failures == 0


@pytest.mark.parametrize(
    ("is_exclusive", "due", "wait"),
    [(True, None, None), (True, 9.0, 9.0), (False, None, 3.0), (False, 9.0, 3.0), (False, 2.0, 2.0)],
)
async def test_the_next_look_is_when_something_is_due_or_when_another_node_may_have_gone(
    house: House, is_exclusive: bool, due: float | None, wait: float | None
) -> None:
    if due is not None:
        now = house.clock.now
        await have_row(house.store, a_row("r1", kind=RowKind.RETRY, created_at=now, not_before=now + due))

    assert await Bench(house, is_exclusive=is_exclusive).sweep() == wait


@pytest.mark.parametrize(
    ("kind", "is_woken"),
    [
        ("done", True),
        ("failed", True),
        ("cancelled", True),
        ("wake_waits", True),
        ("process_complete", True),
        ("watch_match", True),
        ("message", False),
        ("turn_started", False),
    ],
)
async def test_it_looks_again_after_what_may_store_a_time(house: House, kind: str, is_woken: bool) -> None:
    bench = Bench(house)
    other = Event("s1", 1, None, None, "message", b"{}", 0.0)

    bench.store.tell(Signal(frozenset({"s1"}), events=(other, Event("s1", 2, "t1", 1, kind, b"{}", 0.0))))

    assert bench.timekeeper.job._changed.is_set() is is_woken


async def test_waits_for_midnight_are_ended_later_if_the_store_has_failed(house: House) -> None:
    bench = Bench(house)
    await have_session(house.store)
    await let_wait(house)
    real = bench.store.write

    async def fail(*args: object, **how: object) -> None:
        raise StoreUnavailable

    bench.store.write = fail  # type: ignore[method-assign,assignment]
    with pytest.raises(StoreUnavailable):
        await bench.sweep()
    bench.store.write = real  # type: ignore[method-assign]
    await bench.sweep()

    assert await waits_until(house) is None
