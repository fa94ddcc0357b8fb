"""Which turns a node takes over, and which it leaves alone."""

import asyncio
from contextlib import ExitStack
from typing import Any

import orjson
import pytest

from tests.engine.kit import House, NodeStore
from tests.patience import PATIENCE
from tests.store.nouns import a_row, a_task, a_turn, append, have_row, have_session, have_turn, some_events
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.commits import Commits
from wakeful.engine.inbox.dispatcher import Dispatcher
from wakeful.engine.settings import EngineSettings
from wakeful.engine.turns.rescuer import Rescuer
from wakeful.engine.turns.runners import Runner
from wakeful.engine.words.words import LiveWords
from wakeful.errors import SessionLocked, StoreReadOnly
from wakeful.model.event import Event
from wakeful.model.journal.entry import answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.turn import Lease, Turn, TurnStatus
from wakeful.model.words import TOKEN, Said, WordsHead

NODE = "node1"
CHAT = orjson.dumps({"kind": "chat"})


class SomeRunners:
    """What a node runs, as the test says."""

    def __init__(self) -> None:
        self.working: set[str] = set()
        self.broken: set[str] = set()
        self.running: list[Runner] = []
        self.stopped: list[str] = []

    def at_work(self) -> set[str]:
        return self.working

    def all(self) -> list[Runner]:
        return self.running

    def runs(self, turn: Turn) -> bool:
        return turn.id in self.working

    def has_broken(self, turn: Turn) -> bool:
        return turn.id in self.broken

    def stop(self, runner: Runner) -> None:
        self.stopped.append(runner.assignment.turn.id)


class Bench:
    def __init__(
        self,
        house: House,
        *,
        is_exclusive: bool = True,
        adopts: bool = True,
        lease: float = 3.0,
        node: str = NODE,
    ) -> None:
        self.store = NodeStore(house.store, house.traffic, is_exclusive=is_exclusive)
        self.runners = SomeRunners()
        self.words = LiveWords(house.clock)
        self.commits = Commits(self.store, self.words)
        self.launched: list[Assignment] = []
        self.commits.listen(self.launched.append)
        settings = EngineSettings(lease_seconds=lease)
        dispatcher = Dispatcher(node, settings, self.words)
        runners: Any = self.runners
        self.rescuer = Rescuer(self.store, dispatcher, self.commits, runners, house.clock, settings, adopts=adopts)

    async def sweep(self) -> float | None:
        wait = await self.rescuer.sweep()
        assert self.rescuer.job.counts.row_failures == 0
        return wait

    @property
    def taken(self) -> list[tuple[str, int]]:
        """The turns that were launched, each with the resumes that count."""
        return sorted((assignment.turn.id, assignment.turn.resumes) for assignment in self.launched)

    async def turn(self, turn_id: str = "t1") -> Turn:
        turn = await self.store.read(lambda tx: tx.turns.get(turn_id))
        assert turn is not None
        return turn

    async def log(self) -> list[Event]:
        return await self.store.read(lambda tx: tx.events.of_session("s1", 0, 100))


@pytest.fixture
async def bench(house: House) -> Bench:
    return Bench(house)


async def test_a_turn_of_another_node_is_taken_over_and_its_resume_counts(bench: Bench) -> None:
    await have_turn(bench.store, node="node2")

    assert await bench.sweep() is None

    assert (bench.taken, bench.rescuer.taken_over) == ([("t1", 1)], 1)
    turn = await bench.turn()
    assert (turn.node, turn.epoch) == (NODE, 2)


async def test_a_turn_that_was_released_is_taken_over_uncounted_and_without_a_word(bench: Bench) -> None:
    await have_turn(bench.store, node="node2")
    await bench.store.write(lambda tx: tx.turns.release(Lease("t1", "s1", "node2", 1)), lock=["s1"])

    await bench.sweep()

    assert bench.taken == [("t1", 0)]
    assert await bench.log() == []


async def test_a_node_that_came_for_its_own_turn_takes_no_other(house: House) -> None:
    bench = Bench(house, adopts=False)
    await have_turn(bench.store, "t1", node="node2")
    await have_turn(bench.store, "t2", "s2", node=NODE)

    await bench.sweep()

    assert bench.taken == [("t2", 0)]


@pytest.mark.parametrize(("is_broken", "resumes"), [(False, 0), (True, 1)])
async def test_a_turn_of_its_own_that_nobody_runs_counts_only_if_a_bug_has_stopped_it(
    bench: Bench, is_broken: bool, resumes: int
) -> None:
    await have_turn(bench.store)
    if is_broken:
        bench.runners.broken.add("t1")

    await bench.sweep()

    assert bench.taken == [("t1", resumes)]
    assert not bench.commits.trouble.is_set()


@pytest.mark.parametrize(("working", "is_trouble"), [({"t1"}, False), ({"s1"}, True), ({"t2"}, None)])
async def test_a_turn_that_runs_here_or_may_be_about_to_is_left_alone(
    bench: Bench, working: set[str], is_trouble: bool | None
) -> None:
    await have_turn(bench.store)
    bench.runners.working = working

    await bench.sweep()

    assert bool(bench.taken) is (is_trouble is None)
    assert bench.commits.trouble.is_set() is bool(is_trouble)


async def test_where_nodes_look_again_by_themselves_nothing_asks_for_it(house: House) -> None:
    bench = Bench(house, is_exclusive=False)
    await have_turn(bench.store)
    bench.runners.working = {"s1"}

    await bench.sweep()

    assert (bench.taken, bench.commits.trouble.is_set()) == ([], False)


async def test_a_turn_that_ended_while_it_was_looked_for_is_left_alone(bench: Bench) -> None:
    await have_turn(bench.store)
    looks = iter([{"t1"}, set[str]()])
    bench.runners.at_work = lambda: next(looks)  # type: ignore[method-assign]

    await bench.sweep()

    assert bench.taken == []


@pytest.mark.parametrize(("epoch", "stopped"), [(1, []), (2, ["t1"])])
async def test_a_runner_whose_turn_is_not_its_own_any_more_is_stopped(
    bench: Bench, epoch: int, stopped: list[str]
) -> None:
    await have_turn(bench.store)
    bench.runners.working = {"t1"}
    bench.runners.running = [Runner(Assignment(a_turn(epoch=epoch), 0))]

    await bench.sweep()

    assert bench.runners.stopped == stopped


async def test_a_write_in_doubt_is_settled_by_the_comparison(bench: Bench) -> None:
    doubt = ExitStack()
    doubt.enter_context(bench.words.sealed(["s1"]))
    bench.commits._in_doubt.append(doubt)

    await bench.sweep()

    await asyncio.wait_for(bench.words.unsealed("s1"), PATIENCE)


async def test_the_turn_of_a_chat_ends_with_the_node_that_held_its_client(bench: Bench) -> None:
    await have_turn(bench.store, node="node2", request=CHAT)
    await have_row(bench.store, a_row("m1"))

    await bench.sweep()

    turn = await bench.turn()
    assert turn.status is TurnStatus.CANCELLED
    assert b"client_gone" in (turn.error or b"")
    assert (bench.taken, bench.rescuer.taken_over) == ([("turn_of_s1_m1", 0)], 1)
    (end,) = [event.ends for event in await bench.log() if event.kind == "cancelled"]
    assert end is not None
    assert end.void == 1000


async def test_a_session_whose_chat_broke_off_is_held(bench: Bench) -> None:
    await have_turn(bench.store, node="node2", request=CHAT)

    await bench.sweep()

    session = await bench.store.read(lambda tx: tx.sessions.get("s1"))
    assert session is not None
    assert (session.is_held, session.active) == (True, None)


async def test_a_chat_of_its_own_goes_on(bench: Bench) -> None:
    await have_turn(bench.store, request=CHAT)

    await bench.sweep()

    assert bench.taken == [("t1", 0)]


@pytest.mark.parametrize(("is_unwanted", "taken"), [(True, []), (False, [("t1", 1)])])
async def test_a_sub_agent_that_is_to_be_killed_is_not_taken_over(
    bench: Bench, is_unwanted: bool, taken: list[tuple[str, int]]
) -> None:
    await have_session(bench.store, "s0")
    await bench.store.write(lambda tx: tx.tasks.add_if_absent(a_task("k1", "s0")), lock=["s0"])
    if is_unwanted:
        await bench.store.write(lambda tx: tx.tasks.intend_kill_if_running("k1"), lock=["s0"])
    await have_session(bench.store, task_id="k1")
    await have_turn(bench.store, node="node2")

    await bench.sweep()

    assert (bench.taken, bench.rescuer.taken_over) == (taken, len(taken))


async def test_chats_end_before_other_turns_are_resumed(bench: Bench) -> None:
    """Their sub-agents end with them."""
    await have_turn(bench.store, "t1", "s1", node="node2", opened_at=1.0)
    await have_turn(bench.store, "t2", "s2", node="node2", opened_at=2.0, request=CHAT)
    tried: list[str] = []
    real = bench.rescuer.job.row

    async def noted(row_id: str, act: Any) -> bool:
        tried.append(row_id)
        return await real(row_id, act)

    bench.rescuer.job.row = noted  # type: ignore[method-assign]
    await bench.sweep()

    assert tried == ["t2", "t1"]


async def test_a_session_that_is_locked_is_tried_again_later(bench: Bench) -> None:
    await have_turn(bench.store, node="node2")
    waited: list[float | None] = []

    async def locked(*args: object, patience: float | None = None, **how: object) -> None:
        waited.append(patience)
        raise SessionLocked

    real = bench.store.write
    bench.store.write = locked  # type: ignore[method-assign,assignment]
    await bench.sweep()
    assert (bench.rescuer.taken_over, waited) == (0, [0.5])

    bench.store.write = real  # type: ignore[method-assign]
    await bench.sweep()

    assert bench.rescuer.taken_over == 1


@pytest.mark.parametrize(("lease", "wait"), [(1.2, 0.2), (3.0, 0.5), (60.0, 0.5)])
async def test_nodes_look_for_each_others_turns_six_times_in_a_lease(house: House, lease: float, wait: float) -> None:
    assert await Bench(house, is_exclusive=False, lease=lease).sweep() == pytest.approx(wait)


@pytest.mark.parametrize(("is_exclusive", "calls"), [(True, 0), (False, 2)])
async def test_connections_of_dead_nodes_are_ended_where_there_are_other_nodes(
    house: House, caplog: pytest.LogCaptureFixture, is_exclusive: bool, calls: int
) -> None:
    bench = Bench(house, is_exclusive=is_exclusive)
    ended = iter([0, 3])
    called: list[int] = []

    async def end(body: object) -> int:
        called.append(next(ended))
        return called[-1]

    bench.store.write_lease = end  # type: ignore[method-assign,assignment]
    with caplog.at_level("INFO"):
        await bench.sweep()
        assert "database connections" not in caplog.text
        await bench.sweep()

    assert len(called) == calls
    assert ("ended 3 database connections" in caplog.text) is bool(calls)


async def test_a_database_that_does_not_let_connections_be_ended_is_logged_once(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(house, is_exclusive=False)
    await have_turn(bench.store, node="node2")

    async def refuse(body: object) -> int:
        raise StoreReadOnly

    bench.store.write_lease = refuse  # type: ignore[method-assign,assignment]
    for _ in range(3):
        await bench.sweep()

    assert caplog.text.count("stay locked for some seconds") == 1
    assert ("t1", 1) in bench.taken


async def test_words_that_may_have_been_shown_elsewhere_are_taken_back(bench: Bench) -> None:
    lease = await have_turn(bench.store, node="node2")
    (_, last) = await append(bench.store, lease, some_events(2, "message"))

    await bench.sweep()

    abandoned = (await bench.log())[-1]
    assert (abandoned.kind, abandoned.data, abandoned.turn_seq) == ("step_abandoned", {"step": 1}, 3)
    assert abandoned.ends is not None
    assert (abandoned.ends.base, abandoned.ends.count, abandoned.ends.void) == (last.session_seq, 0, 1000)
    (assignment,) = bench.launched
    assert (assignment.base, assignment.turn.last_seq) == (abandoned.session_seq, 3)
    assert (assignment.journal, assignment.owner) == (None, None)


async def test_words_of_its_own_that_were_not_recorded_are_taken_back_and_kept(bench: Bench) -> None:
    lease = await have_turn(bench.store)
    (last,) = await append(bench.store, lease, some_events(1, "message"))
    words = bench.words.begin(WordsHead("s1", "t1", 1, last.session_seq), 1)
    bench.words.add(words, TOKEN, "Hello")

    await bench.sweep()

    abandoned = (await bench.log())[-1]
    assert abandoned.kind == "step_abandoned"
    assert abandoned.ends is not None
    assert abandoned.ends.said == Said("Hello", "", (5,))


async def test_without_words_of_its_own_nothing_is_taken_back(bench: Bench) -> None:
    lease = await have_turn(bench.store)
    (last,) = await append(bench.store, lease, some_events(1, "message"))

    await bench.sweep()

    assert [event.kind for event in await bench.log()] == ["message"]
    (assignment,) = bench.launched
    assert assignment.base == last.session_seq


@pytest.mark.parametrize("calls", [(), (ToolCall("c1", "work", "{}"),)])
async def test_nothing_is_taken_back_while_no_model_was_asked(bench: Bench, calls: tuple[ToolCall, ...]) -> None:
    lease = await have_turn(bench.store, node="node2")
    (last,) = await append(bench.store, lease, some_events(1, "message"))
    answer = answer_entry("t1", Answered(1, AssistantMessage("Hi", calls=calls), Usage(1, 1)))
    await bench.store.write(lambda tx: tx.journal.add([answer]), lock=["s1"])

    await bench.sweep()

    assert [event.kind for event in await bench.log()] == ["message"]
    (assignment,) = bench.launched
    assert assignment.base == last.session_seq


async def test_many_turns_are_taken_over_a_few_at_a_time(bench: Bench) -> None:
    for number in range(9):
        await have_turn(bench.store, f"t{number}", f"s{number}", node="node2")
    most = 0
    under_way = 0
    real = bench.rescuer.job.row

    async def counted(row_id: str, act: Any) -> bool:
        nonlocal most, under_way
        under_way += 1
        most = max(most, under_way)
        done = await real(row_id, act)
        under_way -= 1
        return done

    bench.rescuer.job.row = counted  # type: ignore[method-assign]
    await bench.sweep()

    assert (len(bench.taken), most) == (9, 4)


async def test_a_resume_of_a_turn_that_was_taken_from_a_late_node_is_uncounted(house: House) -> None:
    bench, other = Bench(house, is_exclusive=False), Bench(house, is_exclusive=False, node="node2")
    await have_turn(bench.store)
    now = house.clock.now
    await bench.store.write(lambda tx: tx.nodes.renew("node2", now + 60, host="h"))
    await other.sweep()
    assert other.taken == [("t1", 1)]

    await bench.sweep()

    assert (await bench.turn()).resumes == 0
    assert bench.taken == []


async def test_of_turns_that_run_and_that_may_be_about_to_the_latter_ask_for_another_look(bench: Bench) -> None:
    await have_turn(bench.store, "t1", "s1")
    await have_turn(bench.store, "t2", "s2")
    bench.runners.working = {"t1", "s2"}

    await bench.sweep()

    assert (bench.taken, bench.commits.trouble.is_set()) == ([], True)


async def test_a_turn_that_another_node_has_taken_meanwhile_is_left_to_it(bench: Bench) -> None:
    await have_turn(bench.store, node="node2")

    await bench.rescuer._take_over(a_turn(node="node2", epoch=5), is_own=False)

    assert (bench.taken, bench.rescuer.taken_over) == ([], 0)


async def test_a_resume_is_uncounted_later_where_the_session_is_locked(house: House) -> None:
    bench = Bench(house, is_exclusive=False)
    await have_turn(bench.store)
    now = house.clock.now
    await bench.store.write(lambda tx: tx.nodes.renew("node2", now + 60, host="h"))
    await bench.store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, "node2"), lock=["s1"])
    waited: list[float | None] = []

    async def locked(*args: object, patience: float | None = None, **how: object) -> None:
        waited.append(patience)
        raise SessionLocked

    bench.store.write = locked  # type: ignore[method-assign,assignment]
    await bench.sweep()

    assert waited == [0.5]
