"""The runners of a node: when a turn runs, what stops it, and what becomes of its errors."""

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.patience import idle
from tests.store.nouns import a_turn, an_opening
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.commits import Commits
from wakeful.engine.turns import runners as runners_module
from wakeful.engine.turns.executor import Ending
from wakeful.engine.turns.runners import Runner, Runners
from wakeful.engine.turns.turn_slots import TurnSlots
from wakeful.engine.words.words import LiveWords
from wakeful.errors import LeaseLost, NameTaken, StoreError, StoreUnavailable
from wakeful.model.api.conversation import Conversation
from wakeful.model.event import Event
from wakeful.model.opening import Opened, Opening
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.model.words import TOKEN, WordsHead
from wakeful.store.base import Listener, Signal

DONE = Ending(Outcome(TurnStatus.DONE), None)


class ScriptedStore:
    """A store that opens when the test says so, and whose writes fail as it says."""

    def __init__(self) -> None:
        self.notifier = self
        self._listeners: list[Listener] = []
        self.opened: asyncio.Future[Opened] = asyncio.get_running_loop().create_future()
        # The errors of the next writes; None: one that succeeds.
        self.errors: list[Exception | None] = []
        self.locks: list[list[str]] = []

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def fence(self, turn_id: str, epoch: int) -> None:
        for listener in self._listeners:
            listener(Signal(frozenset(), {turn_id: epoch}))

    async def open_new(self, opening: object) -> Opened:
        return await asyncio.shield(self.opened)

    async def write(self, body: Any, *, lock: Collection[str], patience: float | None = None) -> Any:
        self.locks.append(list(lock))
        result = await body(None)
        error = self.errors.pop(0) if self.errors else None
        if error is not None:
            raise error
        return result


class NotedDispatcher:
    """Notes how turns are closed."""

    def __init__(self) -> None:
        self.words = LiveWords(FakeClock())
        self.closed: list[tuple[str, Outcome, bool]] = []

    async def held_lane(self, tx: object, lease: Any) -> str:
        return str(lease.turn_id)

    async def close(self, tx: object, lane: str, outcome: Outcome, *, answer: object, opens_next: bool) -> None:
        self.closed.append((lane, outcome, opens_next))


class LedExecutor:
    """Runs each turn until the test says how it ends."""

    def __init__(self) -> None:
        self.ends: dict[str, asyncio.Future[Ending | None]] = {}
        self.slots_taken: list[int] = []

    async def run(self, assignment: Assignment) -> Ending | None:
        end: asyncio.Future[Ending | None] = asyncio.get_running_loop().create_future()
        self.ends[assignment.turn.id] = end
        return await end


class Bench:
    def __init__(self, limit: int = 9) -> None:
        self.store, self.dispatcher, self.executor = ScriptedStore(), NotedDispatcher(), LedExecutor()
        self.asked_for_owner: list[str] = []
        self.bound: list[str] = []
        self.slots = TurnSlots(limit, self._owner_of)
        store: Any = self.store
        dispatcher: Any = self.dispatcher
        executor: Any = self.executor
        self.commits = Commits(store, self.dispatcher.words)
        self.runners = Runners(store, dispatcher, self.commits, executor, self, self.slots)

    async def _owner_of(self, turn: Turn) -> str:
        self.asked_for_owner.append(turn.id)
        return "alice"

    @contextmanager
    def bind(self, turn: Turn) -> Iterator[None]:
        self.bound.append(turn.id)
        try:
            yield
        finally:
            self.bound.remove(turn.id)

    async def launch(self, turn: Turn) -> Runner:
        for listener in self.commits._listeners:
            listener(Assignment(turn, 2))
        await idle()
        return next(runner for runner in self.runners.all() if runner.assignment.turn is turn)

    async def end(self, turn_id: str, how: Ending | Exception | None = DONE) -> None:
        if isinstance(how, Exception):
            self.executor.ends[turn_id].set_exception(how)
        else:
            self.executor.ends[turn_id].set_result(how)
        await idle()

    def say(self, turn_id: str = "t1") -> None:
        words = self.dispatcher.words.begin(WordsHead("s1", turn_id, 1, 2), 2)
        self.dispatcher.words.add(words, TOKEN, "Hello")

    @property
    def has_words(self) -> bool:
        return self.dispatcher.words.of("s1") is not None


@pytest.fixture
async def bench() -> Bench:
    return Bench()


def opened(opening: Opening) -> Opened:
    events = [Event("s1", number, None, None, "kind", b"{}", 0.0) for number in (1, 2, 3)]
    return Opened(opening.turn, events)


async def test_a_turn_runs_in_a_slot_and_in_its_own_context_and_is_closed(bench: Bench) -> None:
    runner = await bench.launch(a_turn())

    assert (bench.slots.taken, bench.bound, bench.runners.runs(a_turn())) == (1, ["t1"], True)
    assert bench.runners.at_work() == {"t1"}
    await bench.end("t1")

    assert bench.dispatcher.closed == [("t1", DONE.outcome, True)]
    assert bench.store.locks == [["s1"]]
    assert (bench.slots.taken, bench.bound, bench.runners.all(), bench.runners.at_work()) == (0, [], [], set())
    assert runner.job.done()


async def test_a_turn_that_paused_is_not_closed(bench: Bench) -> None:
    await bench.launch(a_turn())

    await bench.end("t1", None)

    assert (bench.dispatcher.closed, bench.runners.all()) == ([], [])


async def test_a_turn_waits_for_a_slot() -> None:
    bench = Bench(limit=1)
    await bench.launch(a_turn("t1"))
    await bench.launch(a_turn("t2"))
    assert (bench.bound, bench.slots.waiting) == (["t1"], 1)

    await bench.end("t1")

    assert (bench.bound, bench.slots.waiting) == (["t2"], 0)
    await bench.end("t2")


async def test_the_first_turn_of_a_session_asks_the_model_while_it_opens(bench: Bench) -> None:
    opening = an_opening("a")
    opening_task = asyncio.create_task(bench.runners.open_new(opening))
    await idle()
    assert bench.bound == [opening.turn.id]
    assert bench.runners.at_work() == {"session_a"}
    (early,) = [task for task in asyncio.all_tasks() if task.get_name() == opening.turn.id]

    bench.store.opened.set_result(opened(opening))

    assert await opening_task == opening.turn
    (runner,) = bench.runners.all()
    assert runner.job is early
    assert runner.assignment.opened is not None
    assert runner.assignment.opened.is_set()
    await bench.end(opening.turn.id)
    assert bench.runners.all() == []


@pytest.mark.parametrize("change", ["parent", "conversation"])
async def test_a_model_is_asked_after_the_opening_where_that_may_still_fail_or_is_read(
    bench: Bench, change: str
) -> None:
    opening = an_opening("a")
    if change == "parent":
        opening = replace(opening, turn=replace(opening.turn, parent="t0"))
    else:
        opening = replace(opening, conversation=Conversation("c1", "alice", "session_a"))
    opening_task = asyncio.create_task(bench.runners.open_new(opening))
    await idle()
    assert bench.bound == []

    bench.store.opened.set_result(opened(opening))
    await opening_task
    await idle()

    assert bench.bound == [opening.turn.id]
    (runner,) = bench.runners.all()
    assert (runner.assignment.owner, runner.assignment.opened) == ("alice", None)
    await bench.end(opening.turn.id)


async def test_a_model_that_was_asked_early_is_stopped_if_the_opening_fails(bench: Bench) -> None:
    opening = an_opening("a")
    opening_task = asyncio.create_task(bench.runners.open_new(opening))
    await idle()
    bench.store.opened.set_exception(NameTaken())

    with pytest.raises(NameTaken):
        await opening_task
    await idle()

    assert (bench.bound, bench.runners.all()) == ([], [])
    assert bench.executor.ends[opening.turn.id].cancelled()


async def test_without_a_free_slot_a_new_turn_queues_only_when_its_owner_can_be_read() -> None:
    bench = Bench(limit=1)
    await bench.launch(a_turn("t1"))
    opening = an_opening("a")
    opening_task = asyncio.create_task(bench.runners.open_new(opening))
    await idle()
    assert bench.asked_for_owner == []

    bench.store.opened.set_result(opened(opening))
    await opening_task
    await idle()

    assert bench.asked_for_owner == [opening.turn.id]
    await bench.end("t1")
    await bench.end(opening.turn.id)


@pytest.mark.parametrize(("epoch", "is_stopped"), [(1, False), (2, False), (3, True)])
async def test_a_fence_stops_a_turn_of_an_older_epoch(bench: Bench, epoch: int, is_stopped: bool) -> None:
    runner = await bench.launch(a_turn(epoch=2))
    bench.say()

    bench.store.fence("t1", epoch)
    bench.store.fence("other", 9)
    await idle()

    assert (runner.job.cancelled(), bench.has_words) == (is_stopped, not is_stopped)
    assert bench.runners.runs(runner.assignment.turn) is not is_stopped
    if not is_stopped:
        await bench.end("t1")


async def test_a_turn_that_writes_its_own_end_is_not_stopped_by_it(bench: Bench) -> None:
    runner = await bench.launch(a_turn())
    bench.say()
    runner.is_closing = True

    bench.store.fence("t1", 2)
    await idle()

    assert not runner.job.done()
    assert not bench.has_words
    await bench.end("t1")


async def test_a_turn_says_that_it_is_being_closed_before_its_end_is_written(bench: Bench) -> None:
    runner = await bench.launch(a_turn())
    assert not runner.is_closing

    await bench.end("t1")

    assert runner.is_closing


async def test_a_turn_that_another_node_has_is_dropped_with_its_words(bench: Bench) -> None:
    await bench.launch(a_turn())
    bench.say()

    await bench.end("t1", LeaseLost())

    assert (bench.has_words, bench.runners.all()) == (False, [])
    assert not bench.commits.trouble.is_set()
    assert not bench.runners.has_broken(a_turn())


async def test_a_store_that_fails_under_a_turn_is_trouble_and_is_told(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    failure = asyncio.create_task(bench.runners.store_failure())
    await bench.launch(a_turn())
    assert not failure.done()
    error = StoreUnavailable()

    await bench.end("t1", error)

    assert await failure is error
    assert bench.commits.trouble.is_set()
    assert not bench.runners.has_broken(a_turn())
    assert "turn t1 waits for the database" in caplog.text


async def test_a_turn_that_fails_through_a_bug_is_broken_until_it_ends(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    await bench.launch(a_turn())
    await bench.end("t1", RuntimeError("a bug"))
    assert bench.runners.has_broken(a_turn())
    assert bench.commits.trouble.is_set()
    assert "will be resumed" in caplog.text

    await bench.launch(a_turn(epoch=2))
    await bench.end("t1")

    assert not bench.runners.has_broken(a_turn())


async def test_where_the_store_refuses_what_comes_next_a_turn_is_closed_alone(bench: Bench) -> None:
    bench.store.errors = [StoreError()]
    await bench.launch(a_turn())

    await bench.end("t1")

    assert [opens_next for _, _, opens_next in bench.dispatcher.closed] == [True, False]


async def test_where_the_database_is_away_a_turn_is_not_closed_twice(bench: Bench) -> None:
    bench.store.errors = [StoreUnavailable()]
    await bench.launch(a_turn())

    await bench.end("t1")

    assert [opens_next for _, _, opens_next in bench.dispatcher.closed] == [True]
    assert isinstance(await bench.runners.store_failure(), StoreUnavailable)


async def test_no_words_are_shown_while_the_end_is_in_doubt(bench: Bench) -> None:
    bench.store.errors = [StoreUnavailable()]
    await bench.launch(a_turn())

    await bench.end("t1")

    waiting = asyncio.create_task(bench.dispatcher.words.unsealed("s1"))
    await idle()
    assert not waiting.done()
    waiting.cancel()


async def test_a_runner_that_has_been_replaced_leaves_its_successor_alone(bench: Bench) -> None:
    first = await bench.launch(a_turn())
    second = await bench.launch(a_turn(epoch=2))

    first.job.cancel()
    await idle()

    assert bench.runners.all() == [second]
    assert (first.key, second.key) == (("t1", 1), ("t1", 2))
    await bench.end("t1")


async def test_a_stop_waits_for_turns_that_end_in_time(bench: Bench) -> None:
    await bench.launch(a_turn())
    draining = asyncio.create_task(bench.runners.drain(60.0))
    await idle()
    assert not draining.done()

    await bench.end("t1", None)
    await draining

    assert bench.runners.all() == []


async def test_a_stop_cancels_turns_that_do_not_end(bench: Bench) -> None:
    runner = await bench.launch(a_turn())

    await bench.runners.drain(0.0)

    assert runner.job.cancelled()


async def test_a_stop_does_not_wait_for_ever_for_a_turn_that_refuses_to_end(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runners_module, "_LATE_SECONDS", 0.01)
    released = asyncio.Event()

    async def refuse(assignment: Assignment) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await released.wait()

    monkeypatch.setattr(bench.executor, "run", refuse)
    runner = await bench.launch(a_turn())

    await bench.runners.drain(0.0)

    assert not runner.job.done()
    released.set()
    await runner.job


async def test_a_stop_waits_for_a_write_that_may_open_a_turn(bench: Bench) -> None:
    opening = an_opening("a")
    opening = replace(opening, turn=replace(opening.turn, parent="t0"))
    opening_task = asyncio.create_task(bench.runners.open_new(opening))
    await idle()
    draining = asyncio.create_task(bench.runners.drain(60.0))
    await idle()
    assert not draining.done()

    bench.store.opened.set_result(opened(opening))
    await opening_task
    await draining

    assert bench.runners.all() == []


async def test_a_stop_without_turns_takes_no_time(bench: Bench) -> None:
    await bench.runners.drain(60.0)
