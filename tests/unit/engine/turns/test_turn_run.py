"""How a run of the loop ends."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests.store.nouns import a_task, a_turn
from wakeful.engine.turns.turn_run import memory_brief, run_to_end, turn_outcome
from wakeful.errors import LeaseLost, LimitReached, ModelError
from wakeful.model.journal.fact import Answered, Fact, TextDelta
from wakeful.model.journal.message import AssistantMessage, Usage, UserMessage
from wakeful.model.tasks.task import Task
from wakeful.model.turn import Outcome, TurnStatus


async def nothing(fact: Fact) -> None: ...


async def run_of(*facts: Fact) -> AsyncGenerator[Fact, None]:
    for fact in facts:
        yield fact


def answer(*, is_cut: bool) -> Answered:
    return Answered(1, AssistantMessage("Hi"), Usage(1, 1), is_cut=is_cut)


async def test_a_time_limit_of_something_else_is_not_that_of_the_turn() -> None:
    async def run() -> AsyncGenerator[Fact, None]:
        yield TextDelta(1, "Hi")
        raise TimeoutError("the tool took too long")

    with pytest.raises(TimeoutError, match="the tool took too long"):
        await run_to_end(run(), nothing, 60.0)


async def test_a_run_that_takes_too_long_is_closed_and_says_so() -> None:
    closed: list[bool] = []

    async def run() -> AsyncGenerator[Fact, None]:
        try:
            yield TextDelta(1, "Hi")
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    with pytest.raises(LimitReached, match=r"longer than 0\.01 seconds") as failure:
        await run_to_end(run(), nothing, 0.01)

    assert (failure.value.code, closed) == ("time_limit", [True])


async def test_a_fact_that_cannot_be_recorded_closes_the_run() -> None:
    closed: list[bool] = []

    async def run() -> AsyncGenerator[Fact, None]:
        try:
            yield TextDelta(1, "Hi")
        finally:
            closed.append(True)

    async def refuse(fact: Fact) -> None:
        raise LeaseLost

    with pytest.raises(LeaseLost):
        await run_to_end(run(), refuse, 60.0)

    assert closed == [True]


@pytest.mark.parametrize(
    ("facts", "was_cut", "is_cut"),
    [
        ([], False, False),
        ([], True, True),
        ([answer(is_cut=True), TextDelta(2, "Hi")], False, True),
        ([answer(is_cut=True), answer(is_cut=False)], True, False),
    ],
)
async def test_an_end_is_as_cut_as_its_last_answer(facts: list[Fact], was_cut: bool, is_cut: bool) -> None:
    recorded: list[Fact] = []

    async def record(fact: Fact) -> None:
        recorded.append(fact)

    assert await run_to_end(run_of(*facts), record, 60.0, is_cut=was_cut) is is_cut
    assert recorded == facts


async def ends(is_cut: bool | Exception) -> bool:
    if isinstance(is_cut, Exception):
        raise is_cut
    return is_cut


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (False, Outcome(TurnStatus.DONE)),
        (True, Outcome(TurnStatus.DONE, incomplete="max_output_tokens")),
        (ModelError("Down.", code="model", passing=True), Outcome(TurnStatus.FAILED, "model", "Down.", passing=True)),
        (LimitReached("Enough.", code="limit"), Outcome(TurnStatus.FAILED, "limit", "Enough.")),
    ],
)
async def test_the_outcome_says_how_the_run_ended(end: bool | Exception, outcome: Outcome) -> None:
    assert await turn_outcome("t1", ends(end), raises=(LeaseLost,)) == outcome


async def test_a_bug_is_logged_and_ends_the_turn(caplog: pytest.LogCaptureFixture) -> None:
    outcome = await turn_outcome("t1", ends(RuntimeError("a bug")))

    assert (outcome.status, outcome.code, outcome.passing) == (TurnStatus.FAILED, "internal_error", False)
    assert "turn t1 failed unexpectedly" in caplog.text


async def test_what_is_no_outcome_is_passed_on() -> None:
    with pytest.raises(LeaseLost):
        await turn_outcome("t1", ends(LeaseLost()), raises=(LeaseLost,))


class OneProcess:
    async def running_in(self, turn_id: str) -> list[Task]:
        return [a_task(f"of {turn_id}")]


async def test_the_brief_of_a_turn_in_memory_begins_with_nothing_recorded() -> None:
    messages = [UserMessage("Hi")]

    brief = memory_brief(a_turn(), messages)

    assert (brief.turn, brief.messages, brief.last_step, brief.open_calls) == (a_turn(), messages, 0, ())
    assert (brief.waits_for_client, brief.is_answered, brief.output_tokens) == (False, False, 0)
    assert (await brief.take_inputs(1, 2), await brief.running_work()) == ((), ())


async def test_a_turn_in_memory_knows_the_processes_that_it_has_started() -> None:
    work: Any = OneProcess()

    assert [task.id for task in await memory_brief(a_turn(), [], work).running_work()] == ["of t1"]


async def test_a_run_without_an_answer_was_not_cut() -> None:
    assert not await run_to_end(run_of(), nothing, 60.0)
