"""One run of a turn: what its loop is given, what is recorded, and how it ends."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import orjson
import pytest

from tests.bare_engine import NoPrompts
from tests.engine.kit import House
from tests.store.nouns import a_row, a_task, a_turn, an_input, have_row, have_session, have_task, have_turn
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.dispatcher import Dispatcher
from wakeful.engine.settings import EngineSettings
from wakeful.engine.spend_guard import SpendGuard
from wakeful.engine.turns.executor import Executor
from wakeful.engine.turns.history import History
from wakeful.engine.turns.prompt_keeper import PromptKeeper
from wakeful.engine.turns.recorder import Recorder
from wakeful.engine.words.words import LiveWords
from wakeful.errors import LeaseLost, ModelError
from wakeful.model.event import Event
from wakeful.model.journal.fact import (
    Answered,
    Brief,
    CallFinished,
    Compacted,
    CompactionStarted,
    Fact,
    ModelChanged,
    StepAbandoned,
    TextDelta,
    Wasted,
)
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.spend import Spend
from wakeful.model.system_prompt import SystemPrompt
from wakeful.model.tools.todo import TodoItem
from wakeful.model.turn import Turn, TurnStatus

CALL = ToolCall("call_1", "work", "{}")
ANSWER = Answered(1, AssistantMessage("Hi"), Usage(1, 1))
SUMMARY = Summary("words", "", (), (), (), CompactionReason.AUTO, 900, 40, "demo:model", Usage(7, 3), 0.25)


class Script:
    """A loop that yields these facts, raises these errors, looks for inputs ("take") or waits (None)."""

    def __init__(self, *acts: Fact | Exception | str | None) -> None:
        self._acts = acts
        self.briefs: list[Brief] = []
        self.taken: list[str] = []
        self.is_closed = False

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        self.briefs.append(brief)
        try:
            for act in self._acts:
                match act:
                    case None:
                        await asyncio.Event().wait()
                    case str():
                        self.taken += [message.text for message in await brief.take_inputs(1, 2)]
                    case Exception():
                        raise act
                    case _:
                        yield act
        finally:
            self.is_closed = True


class Prompts(NoPrompts):
    async def make(self, turn: Turn, owner: str) -> SystemPrompt:
        return SystemPrompt(f"for {owner}")


class Bench:
    def __init__(self, house: House, *acts: Fact | Exception | str | None, **settings: Any) -> None:
        self.store, self.loop = house.store, Script(*acts)
        given = EngineSettings(**settings)
        self.spend = SpendGuard(house.store, given)
        self.dispatcher = Dispatcher("node1", given, LiveWords(house.clock))
        prompts = PromptKeeper(house.store, Prompts())
        self.executor = Executor(
            house.store, self.dispatcher, given, self.loop, prompts, History(house.store), self.spend
        )

    async def run(self, **changes: Any) -> Any:
        await have_turn(self.store, **changes)
        return await self.executor.run(assignment(**changes))

    async def log(self) -> list[Event]:
        return await self.store.read(lambda tx: tx.events.of_session("s1", 0, 100))


def assignment(opened: asyncio.Event | None = None, **changes: Any) -> Assignment:
    return Assignment(a_turn(**changes), 0, [an_input("t1", "hello")], opened, owner="alice")


async def test_an_ending_brings_the_last_answer_which_is_not_written_yet(house: House) -> None:
    bench = Bench(house, ANSWER)

    ending = await bench.run()

    assert ending.outcome.status is TurnStatus.DONE
    assert ending.answer is not None
    assert [entry.data["text"] for entry in ending.answer.entries] == ["Hi"]
    assert await bench.log() == []


async def test_a_turn_that_fails_ends_with_its_failure_and_without_an_answer(house: House) -> None:
    ending = await Bench(house, TextDelta(1, "Hi"), ModelError("Down.", code="model")).run()

    assert (ending.outcome.status, ending.outcome.code, ending.answer) == (TurnStatus.FAILED, "model", None)


@pytest.mark.parametrize(
    ("fact", "kinds"),
    [
        (ModelChanged(1, "demo:a", "demo:b", "model", "down"), ["model_changed"]),
        (Answered(1, AssistantMessage("Hi", calls=(CALL,)), Usage(1, 1)), ["tool", "usage"]),
        (CallFinished(1, 1, CALL, "worked", 0.5), ["tool_complete"]),
        (CompactionStarted(1, CompactionReason.AUTO, 900), ["compaction_started"]),
        (Compacted(1, SUMMARY), ["compaction_done"]),
        (Wasted(1, Spend(usd=1.0)), []),
        (TextDelta(1, "Hi"), []),
        (StepAbandoned(1), []),
    ],
)
async def test_each_fact_is_recorded_when_it_comes(house: House, fact: Fact, kinds: list[str]) -> None:
    bench = Bench(house, fact)

    await bench.run()

    assert [event.kind for event in await bench.log()] == kinds
    assert (await bench.store.read(lambda tx: tx.turns.system_prompt("s1"))) is not None


async def test_words_are_shown_and_taken_back(house: House) -> None:
    bench = Bench(house, TextDelta(1, "Hi"), StepAbandoned(1))

    await bench.run()

    assert [event.kind for event in await bench.log()] == ["step_abandoned"]


@pytest.mark.parametrize(("resumes", "code"), [(2, ""), (3, ""), (4, "resume_limit")])
async def test_a_turn_that_was_resumed_too_often_is_given_up(house: House, resumes: int, code: str) -> None:
    bench = Bench(house, ANSWER, resume_limit=3)

    ending = await bench.run(resumes=resumes)

    assert ending.outcome.code == code
    assert len(bench.loop.briefs) == int(not code)


async def test_a_loop_is_given_the_conversation_and_what_its_session_has(house: House) -> None:
    await have_session(house.store, todo=orjson.dumps([{"id": "1", "text": "pack", "status": "pending"}]))
    await have_task(house.store, a_task("k1"))
    bench = Bench(house, ANSWER)

    await bench.run()

    (brief,) = bench.loop.briefs
    assert ([message.text for message in brief.messages], brief.last_step) == (["hello"], 0)
    assert (brief.turn.system_prompt.text, brief.tools) == ("for alice", None)
    assert [task.id for task in await brief.running_work()] == ["k1"]
    assert list(await brief.todo()) == [TodoItem("1", "pack")]
    assert brief.check_spend == bench.spend.check


@pytest.mark.parametrize(("spec", "tools"), [(b'{"tools": ["read"]}', ("read",)), (b"{}", None)])
async def test_a_sub_agent_has_the_tools_that_its_delegation_allows(
    house: House, spec: bytes, tools: tuple[str, ...] | None
) -> None:
    await have_task(house.store, a_task("k1", "s0", spec=spec))
    await have_session(house.store, task_id="k1")
    bench = Bench(house, ANSWER)

    await bench.run()

    assert bench.loop.briefs[0].tools == tools


async def test_what_was_sent_meanwhile_is_taken_between_two_steps(house: House) -> None:
    bench = Bench(house, "take", ANSWER)
    await have_row(house.store, a_row("m1", steers=True, payload=b'{"text": "stop"}'))

    await bench.run()

    assert bench.loop.taken == ["stop"]


async def test_on_a_node_that_stops_a_turn_pauses_between_two_steps(house: House) -> None:
    bench = Bench(house, "take", ANSWER)
    bench.dispatcher.stopping.set()
    await have_row(house.store, a_row("m1", steers=True))

    assert await bench.run() is None

    assert (bench.loop.taken, bench.loop.is_closed) == ([], True)
    assert len(await house.store.read(lambda tx: tx.inbox.pending("s1"))) == 1


async def test_before_its_opening_is_committed_nothing_of_a_turn_is_shown_or_ends(house: House) -> None:
    bench = Bench(house, TextDelta(1, "Hi"), ANSWER)
    opened = asyncio.Event()
    running = asyncio.create_task(bench.executor.run(assignment(opened)))
    await house.settle()
    assert len(bench.loop.briefs) == 1
    assert bench.dispatcher.words.of("s1") is None

    await have_turn(house.store)
    opened.set()
    ending = await running

    assert ending is not None
    assert bench.dispatcher.words.of("s1") is not None


async def test_a_turn_that_fails_before_it_is_open_ends_after_it(house: House) -> None:
    bench = Bench(house, ModelError("Down.", code="model"))
    opened = asyncio.Event()
    running = asyncio.create_task(bench.executor.run(assignment(opened)))
    await house.settle()
    assert (len(bench.loop.briefs), running.done()) == (1, False)

    opened.set()
    ending = await running

    assert ending is not None
    assert ending.outcome.code == "model"


async def test_what_a_turn_has_begun_to_write_ends_with_it(house: House) -> None:
    bench = Bench(house, None)
    before = asyncio.all_tasks()
    running = asyncio.create_task(bench.executor.run(assignment(asyncio.Event())))
    await house.settle()
    assert len(bench.loop.briefs) == 1

    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await house.settle()

    assert bench.loop.is_closed
    assert asyncio.all_tasks() - before == set()


async def test_a_node_that_has_lost_the_turn_is_told(house: House) -> None:
    bench = Bench(house, CallFinished(1, 1, CALL, "worked", 0.5))
    await have_turn(house.store, epoch=1)

    with pytest.raises(LeaseLost):
        await bench.executor.run(assignment(epoch=2))


async def test_a_turn_may_not_take_longer_than_it_may(house: House) -> None:
    ending = await Bench(house, None, turn_seconds=0.01).run()

    assert ending.outcome.code == "time_limit"


async def test_a_reservation_that_is_being_written_ends_with_its_turn(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def still(self: Recorder, pieces: int) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Recorder, "_reserve", still)
    before = asyncio.all_tasks()

    await Bench(house, TextDelta(1, "a"), TextDelta(1, "b"), ModelError("Down.", code="model")).run(reserved=2)
    await house.settle()

    assert asyncio.all_tasks() - before == set()
