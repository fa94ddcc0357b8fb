"""Writes that may open a turn: what is launched, sealed and remembered, however they end."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.patience import idle
from tests.store.nouns import a_turn, an_opening
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.commits import Commits
from wakeful.engine.words.words import LiveWords
from wakeful.errors import NameTaken, SessionLocked, StoreUnavailable
from wakeful.model.opening import Opened
from wakeful.store.base import Listener, Signal


class HeldStore:
    """A store whose writes end when and as the test says."""

    def __init__(self) -> None:
        self.notifier = self
        self.asked: list[tuple[list[str], float | None]] = []
        self._listeners: list[Listener] = []
        self.outcome: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def tell(self, signal: Signal) -> None:
        for listener in self._listeners:
            listener(signal)

    def fence(self, turn_id: str, epoch: int) -> None:
        self.tell(Signal(frozenset(), {turn_id: epoch}))

    async def write(self, body: object, *, lock: Collection[str], patience: float | None) -> Any:
        self.asked.append((list(lock), patience))
        return await self.outcome

    async def open_new(self, opening: object) -> Any:
        return await self.outcome


class Bench:
    def __init__(self) -> None:
        self.store = HeldStore()
        self.words = LiveWords(FakeClock())
        store: Any = self.store
        self.commits = Commits(store, self.words)
        self.launched: list[Assignment] = []
        self.commits.listen(self.launched.append)

    def begin(self, **how: Any) -> asyncio.Task[Any]:
        body: Any = None
        return asyncio.create_task(self.commits.commit(body, **({"lock": ["s1"]} | how)))

    async def is_sealed(self) -> bool:
        waiting = asyncio.create_task(self.words.unsealed("s1"))
        await idle()
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
            return False
        return True


@pytest.fixture
async def bench() -> Bench:
    return Bench()


async def test_all_who_listen_hear_of_a_turn_that_a_write_has_opened(bench: Bench) -> None:
    also: list[Assignment] = []
    bench.commits.listen(also.append)
    opened = Assignment(a_turn(), 2)
    bench.store.outcome.set_result(("result", opened))

    assert await bench.begin(patience=0.5) == "result"

    assert bench.launched == also == [opened]
    assert bench.store.asked == [(["s1"], 0.5)]


async def test_a_write_that_opens_nothing_launches_nothing(bench: Bench) -> None:
    bench.store.outcome.set_result(("result", None))

    assert await bench.begin() == "result"

    assert bench.launched == []
    assert not bench.commits.trouble.is_set()


async def test_a_turn_is_launched_even_if_its_caller_was_cancelled(bench: Bench) -> None:
    caller = bench.begin()
    await idle()
    caller.cancel()
    await idle()
    bench.store.outcome.set_result((None, Assignment(a_turn(), 2)))
    await idle()

    assert caller.cancelled()
    assert len(bench.launched) == 1


async def test_while_a_write_is_under_way_its_sessions_and_its_task_are_known(bench: Bench) -> None:
    caller = bench.begin(lock=["s1", "s2"])
    await idle()
    assert bench.commits.sessions() == {"s1", "s2"}
    assert len(bench.commits.all()) == 1

    bench.store.outcome.set_result((None, None))
    await caller
    await idle()

    assert (bench.commits.sessions(), bench.commits.all()) == (set(), set())


@pytest.mark.parametrize(
    ("fences", "is_launched"),
    [([], True), ([1], True), ([2], True), ([3], False), ([4, 2], False), ([2, 4], False)],
)
async def test_a_turn_that_was_fenced_before_its_write_returned_is_not_launched(
    bench: Bench, fences: list[int], is_launched: bool
) -> None:
    caller = bench.begin()
    await idle()
    for epoch in fences:
        bench.store.fence("t1", epoch)
    bench.store.outcome.set_result((None, Assignment(a_turn(epoch=2), 2)))
    await caller

    assert bool(bench.launched) is is_launched


async def test_fences_are_remembered_only_as_long_as_a_write_is_under_way(bench: Bench) -> None:
    bench.store.fence("t0", 2)
    assert bench.commits._early_fences == {}
    caller = bench.begin()
    await idle()
    bench.store.fence("t1", 2)
    assert bench.commits._early_fences == {"t1": 2}
    also = bench.begin()
    await idle()
    assert bench.commits._early_fences == {"t1": 2}
    bench.store.outcome.set_result((None, None))
    await asyncio.gather(caller, also)
    await idle()

    await bench.begin()

    assert bench.commits._early_fences == {}


@pytest.mark.parametrize("seals", [["s1"], []])
async def test_no_words_are_shown_until_a_write_that_may_close_their_turn_has_ended(
    bench: Bench, seals: list[str]
) -> None:
    caller = bench.begin(seals=seals)
    await idle()
    assert await bench.is_sealed() is bool(seals)

    bench.store.outcome.set_result((None, None))
    await caller

    assert not await bench.is_sealed()


async def test_a_write_that_did_not_get_its_lock_is_no_trouble(bench: Bench) -> None:
    bench.store.outcome.set_exception(SessionLocked())

    with pytest.raises(SessionLocked):
        await bench.begin(seals=["s1"])

    assert not bench.commits.trouble.is_set()
    assert not await bench.is_sealed()


async def test_after_a_write_in_doubt_words_stay_sealed_until_store_and_runners_were_compared(bench: Bench) -> None:
    bench.store.outcome.set_exception(StoreUnavailable())
    with pytest.raises(StoreUnavailable):
        await bench.begin(seals=["s1"])
    assert bench.commits.trouble.is_set()
    assert bench.launched == []

    with pytest.raises(RuntimeError), bench.commits.comparing():
        raise RuntimeError
    assert await bench.is_sealed()
    with bench.commits.comparing():
        assert await bench.is_sealed()

    assert not await bench.is_sealed()


async def test_a_comparison_settles_no_write_that_failed_after_it_began(bench: Bench) -> None:
    bench.store.outcome.set_exception(StoreUnavailable())

    with bench.commits.comparing(), pytest.raises(StoreUnavailable):
        await bench.begin(seals=["s1"])

    assert await bench.is_sealed()


@pytest.mark.parametrize(("signal", "is_trouble"), [(Signal(frozenset({"s1"})), False), (None, True)])
async def test_a_lost_connection_is_trouble(bench: Bench, signal: Signal | None, is_trouble: bool) -> None:
    bench.store.tell(signal or Signal(frozenset(), is_everything=True))

    assert bench.commits.trouble.is_set() is is_trouble


@pytest.mark.parametrize(("fence", "is_heard"), [(0, True), (2, False)])
async def test_whoever_opens_a_session_hears_of_its_turn_unless_it_was_fenced(
    bench: Bench, fence: int, is_heard: bool
) -> None:
    heard: list[Opened | None] = []
    opening = an_opening("a")
    caller = asyncio.create_task(bench.commits.open_new(opening, heard.append))
    await idle()
    assert bench.commits.sessions() == {"session_a"}
    if fence:
        bench.store.fence(opening.turn.id, fence)
    opened = Opened(opening.turn, [])
    bench.store.outcome.set_result(opened)

    assert await caller is opened

    assert heard == [opened if is_heard else None]


@pytest.mark.parametrize(("error", "is_trouble"), [(StoreUnavailable(), True), (NameTaken(), False)])
async def test_an_opening_that_failed_is_heard_as_none_and_is_trouble_if_it_may_have_been_written(
    bench: Bench, error: Exception, is_trouble: bool
) -> None:
    heard: list[Opened | None] = []
    bench.store.outcome.set_exception(error)

    with pytest.raises(type(error)):
        await bench.commits.open_new(an_opening("a"), heard.append)

    assert heard == [None]
    assert bench.commits.trouble.is_set() is is_trouble
