"""Turns that are not stored: what their one reader gets, and how they end."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractContextManager, aclosing, asynccontextmanager, nullcontext
from typing import Any

import pytest

from tests.bare_engine import HOST, NoUnstoredWork
from tests.engine.kit import House
from tests.patience import PATIENCE, idle
from tests.store.nouns import a_turn
from wakeful.engine import ephemeral
from wakeful.engine.ephemeral import EphemeralTurns
from wakeful.engine.ledger import Ledger
from wakeful.engine.settings import EngineSettings
from wakeful.errors import EngineStopping, ModelError
from wakeful.model.event import Event, StreamItem
from wakeful.model.journal.fact import (
    Answered,
    Brief,
    Fact,
    ReasoningDelta,
    StepAbandoned,
    TextDelta,
)
from wakeful.model.journal.message import AssistantMessage, Usage, UserMessage
from wakeful.model.spend import day_of
from wakeful.model.system_prompt import SystemPrompt
from wakeful.model.turn import Turn
from wakeful.model.words import Word

ANSWER = Answered(1, AssistantMessage("Hi"), Usage(1, 1), cost_usd=0.5)


class Script:
    """A loop that yields these facts, raises these errors, or waits at None."""

    def __init__(self, *acts: Fact | Exception | None) -> None:
        self._acts = acts
        self.yielded = 0
        self.briefs: list[Brief] = []
        self.slots: list[int] = []
        self.taken: Callable[[], int] = lambda: 0

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        self.briefs.append(brief)
        self.slots.append(self.taken())
        for act in self._acts:
            match act:
                case None:
                    await asyncio.Event().wait()
                case Exception():
                    raise act
                case _:
                    self.yielded += 1
                    yield act


class Prompts:
    async def make(self, turn: Turn, owner: str) -> SystemPrompt:
        return SystemPrompt(f"for {owner}")


class NotedWork(NoUnstoredWork):
    """Notes the turns that may start processes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    @asynccontextmanager
    async def allowed_in(self, turn_id: str) -> AsyncIterator[None]:
        self.notes.append(f"begin {turn_id}")
        yield
        self.notes.append(f"end {turn_id}")


class NotedBinder:
    def __init__(self) -> None:
        self.bound: list[Turn] = []

    def bind(self, turn: Turn) -> AbstractContextManager[None]:
        self.bound.append(turn)
        return nullcontext()


class Bench:
    def __init__(self, house: House, script: Script, **settings: Any) -> None:
        self.binder, self.work, self.script = NotedBinder(), NotedWork(), script
        self.ledger = Ledger(house.store, house.clock, EngineSettings(**settings), host=HOST, binder=self.binder)
        script.taken = lambda: self.ledger.slots.taken
        equipment: Any = type("Some", (), {"loop": script, "prompts": Prompts(), "unstored": self.work})
        self.turns = EphemeralTurns(self.ledger, equipment)

    def run(self) -> AsyncGenerator[StreamItem, None]:
        return self.turns.run(a_turn(node=None, is_ephemeral=True), [UserMessage("hi")], "alice")

    async def all(self) -> list[StreamItem]:
        async with aclosing(self.run()) as items:
            return [item async for item in items]


def last(items: list[StreamItem]) -> tuple[str, str]:
    assert isinstance(items[-1], Event)
    return items[-1].kind, items[-1].data.get("code", "")


async def test_its_reader_gets_events_with_numbers_and_words_with_heads(house: House) -> None:
    script = Script(ReasoningDelta(1, "hm"), TextDelta(1, "H"), StepAbandoned(1), TextDelta(1, "Hi"), ANSWER)

    items = await Bench(house, script).all()

    assert [item.kind for item in items] == [
        *("turn_started", "reasoning", "token", "step_abandoned", "token", "usage", "done")
    ]
    events = [item for item in items if isinstance(item, Event)]
    assert [(event.session_seq, event.turn_seq) for event in events] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert {(event.session_id, event.turn_id) for event in events} == {("s1", "t1")}
    words = [item for item in items if isinstance(item, Word)]
    assert [(word.head.base, word.head.step, word.number, word.text) for word in words] == [
        (1, 1, 1, "hm"),
        (1, 1, 2, "H"),
        (2, 1, 1, "Hi"),
    ]


async def test_it_has_a_slot_its_own_prompt_and_its_messages_and_costs_its_owner(house: House) -> None:
    bench = Bench(house, Script(ANSWER))

    await bench.all()

    (brief,) = bench.script.briefs
    assert (bench.script.slots, bench.ledger.slots.taken) == ([1], 0)
    assert (brief.turn.system_prompt.text, brief.messages) == ("for alice", [UserMessage("hi")])
    assert [turn.id for turn in bench.binder.bound] == ["t1"]
    spent = await house.store.read(lambda tx: tx.spending.since(day_of(house.clock.now), "alice"))
    assert [cost.usd for cost in spent.values()] == [0.5]


async def test_what_it_has_started_ends_before_its_last_event(house: House) -> None:
    bench = Bench(house, Script(ANSWER))

    async with aclosing(bench.run()) as items:
        noted = {item.kind: list(bench.work.notes) async for item in items}

    assert noted["done"] == ["begin t1", "end t1"]


@pytest.mark.parametrize(
    ("act", "end"),
    [
        (ModelError("Down.", code="model_unavailable"), ("failed", "model_unavailable")),
        (RuntimeError("a bug"), ("failed", "internal_error")),
    ],
)
async def test_a_failure_is_its_last_event(house: House, act: Exception, end: tuple[str, str]) -> None:
    bench = Bench(house, Script(TextDelta(1, "Hi"), act))

    assert last(await bench.all()) == end

    assert not bench.turns._jobs


async def test_it_may_not_take_longer_than_any_turn(house: House) -> None:
    assert last(await Bench(house, Script(None), turn_seconds=0.01).all()) == ("failed", "time_limit")


async def test_nothing_runs_before_its_reader_asks_nor_after_it_has_gone(house: House) -> None:
    bench = Bench(house, Script(TextDelta(1, "Hi"), None))
    items = bench.run()
    await asyncio.sleep(0)
    assert bench.script.briefs == []
    assert [(await anext(items)).kind, (await anext(items)).kind] == ["turn_started", "token"]
    (job,) = bench.turns._jobs

    await items.aclose()

    assert job.cancelled()
    assert (bench.turns._jobs, bench.ledger.slots.taken) == (set(), 0)


async def test_the_model_waits_for_a_reader_that_is_behind(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ephemeral, "_FULL", 4)
    bench = Bench(house, Script(*[TextDelta(1, "Hi")] * 9, ANSWER))
    items = bench.run()
    await anext(items)
    async with asyncio.timeout(PATIENCE):
        while bench.script.yielded < 4:  # noqa: ASYNC110 - nothing says that the model has spoken
            await asyncio.sleep(0)
    await idle()

    assert bench.script.yielded == 4
    assert len([item async for item in items]) == 9 + len(["usage", "done"])


async def test_a_node_that_stops_runs_none_any_more(house: House) -> None:
    bench = Bench(house, Script(ANSWER))
    bench.ledger.stopping.set()

    with pytest.raises(EngineStopping):
        bench.run()


async def test_a_stop_waits_for_those_that_end_in_time(house: House) -> None:
    bench = Bench(house, Script(TextDelta(1, "Hi"), ANSWER))
    items = bench.run()
    await anext(items)

    await bench.turns.drain(60.0)

    assert last([item async for item in items]) == ("done", "")


async def test_a_stop_ends_those_that_do_not_and_their_reader_is_told(house: House) -> None:
    bench = Bench(house, Script(None))
    items = bench.run()
    await anext(items)

    await bench.turns.drain(0.0)

    assert bench.turns._jobs == set()
    assert last([item async for item in items]) == ("failed", "stopping")


async def test_a_stop_without_turns_takes_no_time(house: House) -> None:
    await Bench(house, Script()).turns.drain(60.0)
