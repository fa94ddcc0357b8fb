"""Sub-agents of unstored turns: they run in memory, inside the call that started them, under the usual limits."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace

import pytest

from tests.bare_engine import HOST, NoBinder
from tests.engine.test_ephemeral import ephemeral_turn
from wakeful.engine.ports import TurnBinder
from wakeful.engine.settings import EngineSettings
from wakeful.engine.tasks.memory_delegations import MemoryDelegations
from wakeful.errors import ModelError, TooManyDelegations
from wakeful.model.api.request import TurnRequest, request_from
from wakeful.model.journal.fact import Answered, Brief, Fact, TextDelta
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Task, TaskKind, TaskStatus
from wakeful.model.turn import Turn

SETTINGS = EngineSettings(delegation_limit=3, delegation_depth=2)


class Worker:
    """A loop that does what its goal says, and notes whose turns it runs."""

    def __init__(self, settings: EngineSettings = SETTINGS, binder: TurnBinder | None = None) -> None:
        self.delegations = MemoryDelegations(binder or NoBinder(), settings, HOST)
        self.turns: list[Turn] = []
        self.stopped: list[str] = []
        self.is_hanging = asyncio.Event()
        self._served: set[str] = set()
        self._serving = ExitStack()

    async def delegate(self, turn: Turn, *goals: str) -> list[Task]:
        """Delegate as a turn does that a client asked for; it may make several calls."""
        if turn.id not in self._served:
            self._served.add(turn.id)
            self._serving.enter_context(self.delegations.allowed_in(turn, self))
        return await self.delegations.delegate(turn, [Goal(text) for text in goals])

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        self.turns.append(brief.turn)
        (message,) = brief.messages
        order, _, rest = message.text.partition(" ")
        match order:
            case "say":
                yield TextDelta(1, rest)
                yield Answered(1, AssistantMessage(rest), Usage(1, 1))
            case "delegate":
                yield Answered(1, AssistantMessage(await self._delegate(brief.turn, rest)), Usage(1, 1))
            case "fail":
                yield Answered(1, AssistantMessage(rest), Usage(1, 1))
                raise ModelError("The endpoint is down.", code="model_unavailable", passing=True)
            case "repeat":
                for words in rest.split("/"):
                    yield Answered(1, AssistantMessage(words), Usage(1, 1))
            case "break":
                raise RuntimeError("a bug")
            case "time-out":
                raise TimeoutError
            case "break-late":
                try:
                    await asyncio.Event().wait()
                finally:
                    raise RuntimeError("a bug")
            case "hang":
                try:
                    self.is_hanging.set()
                    await asyncio.Event().wait()
                finally:
                    self.stopped.append(brief.turn.id)

    async def _delegate(self, turn: Turn, goal: str) -> str:
        try:
            (task,) = await self.delegations.delegate(turn, [Goal(goal)])
        except TooManyDelegations as refused:
            return str(refused)
        return f"heard {task.result}"

    async def results(self, *goals: str) -> list[str]:
        return [task.result for task in await self.delegate(ephemeral_turn(), *goals)]


async def test_results_come_in_the_order_of_the_goals() -> None:
    tasks = await Worker().delegate(ephemeral_turn(), "say one", "say two")

    assert [(task.command, task.status, task.result) for task in tasks] == [
        ("say one", TaskStatus.EXITED, "one"),
        ("say two", TaskStatus.EXITED, "two"),
    ]
    assert all(task.child_session_id is None and task.is_inline for task in tasks)


async def test_a_sub_agent_is_another_turn_that_ends_with_the_one_its_client_asked_for() -> None:
    worker = Worker()
    asked = replace(ephemeral_turn(), request=b'{"instructions": "of the client"}')

    await worker.delegate(asked, "delegate say done")

    child, grandchild = worker.turns
    assert len({asked.id, child.id, grandchild.id}) == 3
    assert child.root_id == grandchild.root_id == asked.id
    assert (child.door, child.address, child.is_ephemeral) == (asked.door, asked.address, True)
    assert request_from(child.request) == TurnRequest()


async def test_a_failure_says_why_and_what_was_said_last() -> None:
    worker = Worker()

    assert await worker.results("fail half", "break") == [
        "The endpoint is down.\nIts last words:\nhalf",
        "something broke inside the server; its log has the details",
    ]


async def test_it_may_take_only_so_long() -> None:
    (task,) = await Worker(replace(SETTINGS, delegation_seconds=0.01)).delegate(ephemeral_turn(), "hang")

    assert (task.status, task.result) == (TaskStatus.FAILED, "its time was over (WAKEFUL_DELEGATION_SECONDS)")


async def test_cancelling_a_call_stops_all_sub_agents_below_it() -> None:
    worker = Worker()
    waiting = asyncio.create_task(worker.results("delegate hang", "say one"))
    await worker.is_hanging.wait()

    waiting.cancel()
    await asyncio.wait([waiting])

    assert worker.stopped == [worker.turns[-1].id]


async def test_they_may_delegate_only_so_deep() -> None:
    (refused,) = await Worker().results("delegate delegate say never")

    assert refused.startswith("heard Sub-agents may delegate only 2 deep")
    assert await Worker().results("delegate say ever") == ["heard ever"]


async def test_only_so_many_work_at_once_for_one_turn() -> None:
    worker = Worker()
    with pytest.raises(TooManyDelegations, match=r"At most 3 .* 0 do already"):
        await worker.results(*["say x"] * 4)

    waiting = asyncio.create_task(worker.results("hang", "hang"))
    await worker.is_hanging.wait()
    with pytest.raises(TooManyDelegations, match="2 do already"):
        await worker.results("say x", "say y")
    assert await worker.results("say z") == ["z"]

    waiting.cancel()
    await asyncio.wait([waiting])
    assert await worker.results(*["say x"] * 3) == ["x", "x", "x"]


async def test_a_sub_agent_in_memory_has_the_model_and_tools_of_its_goal() -> None:
    worker, asked = Worker(), ephemeral_turn()
    with worker.delegations.allowed_in(asked, worker):
        await worker.delegations.delegate(asked, [Goal("say done", "demo:small", ("read_file",))])
    (child,) = worker.turns
    assert (child.model, request_from(child.request).allowed_tools) == ("demo:small", ("read_file",))


async def test_its_task_is_that_of_a_stored_sub_agent_that_its_call_waits_for() -> None:
    asked = ephemeral_turn()
    done, failed = await Worker().delegate(asked, "say done", "fail half")

    assert (done.status, done.exit_code) == (TaskStatus.EXITED, 0)
    assert (failed.status, failed.exit_code) == (TaskStatus.FAILED, None)
    for task in (done, failed):
        assert (task.kind, task.turn_id, task.session_id) == (TaskKind.DELEGATION, asked.id, asked.session_id)
        assert (task.step, task.index, task.will_notify, task.is_inline) == (0, 0, False, True)
        assert task.ended_at is not None
        assert 0 < task.started_at <= task.ended_at


@pytest.mark.parametrize(
    ("goal", "result"),
    [("repeat one/two/three", "three"), ("repeat one/two/", "two"), ("repeat one", "one"), ("repeat ", "")],
)
async def test_its_result_is_the_last_answer_with_words(goal: str, result: str) -> None:
    assert await Worker().results(goal) == [result]


@pytest.mark.parametrize(("goal", "seconds"), [("time-out", 60.0), ("break-late", 0.01)])
async def test_an_error_of_its_own_is_not_taken_for_the_end_of_its_time(goal: str, seconds: float) -> None:
    worker = Worker(replace(SETTINGS, delegation_seconds=seconds))

    assert await worker.results(goal) == ["something broke inside the server; its log has the details"]


class NotingBinder:
    """Notes which turn is bound now, and which were."""

    def __init__(self) -> None:
        self.bound: list[str] = []
        self.seen: list[str] = []

    def bind(self, turn: Turn) -> AbstractContextManager[None]:
        @contextmanager
        def binding() -> Iterator[None]:
            self.bound.append(turn.id)
            self.seen.append(turn.id)
            yield
            self.bound.remove(turn.id)

        return binding()


async def test_each_is_bound_while_it_runs() -> None:
    binder = NotingBinder()
    worker = Worker(binder=binder)

    await worker.results("delegate say done")

    assert binder.seen == [turn.id for turn in worker.turns]
    assert binder.bound == []


async def test_nothing_is_kept_of_those_that_have_ended() -> None:
    worker, asked = Worker(), ephemeral_turn()
    with worker.delegations.allowed_in(asked, worker):
        await worker.delegations.delegate(asked, [Goal("delegate say done"), Goal("fail half")])

    assert not worker.delegations._stations
    assert not worker.delegations._working
