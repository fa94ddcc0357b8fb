"""What a day may cost, and what turns that are not stored add to it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from tests.engine.kit import House
from tests.store.nouns import a_turn
from wakeful.engine.settings import EngineSettings
from wakeful.engine.spend_guard import SpendGuard, spent_on_day
from wakeful.engine.turns.turn_run import memory_brief
from wakeful.errors import LimitReached
from wakeful.model.journal.fact import Answered, Brief, Compacted, CompactionStarted, Fact, TextDelta, Wasted
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.spend import DAY_SECONDS, Spend, day_of
from wakeful.store.base import Store, Transaction

SUMMARY = Summary("words", "", (), (), (), CompactionReason.AUTO, 900, 40, "demo:model", Usage(7, 3), 0.25)


async def spend(store: Store, usd: float, owner: str = "alice") -> None:
    await store.write(lambda tx: tx.spending.add_unstored(owner, Spend(usd=usd)))


@pytest.mark.parametrize(
    ("cap", "spent", "is_reached"), [(None, 99.0, False), (5.0, 4.99, False), (5.0, 5.0, True), (5.0, 6.0, True)]
)
async def test_no_model_is_asked_once_the_day_has_cost_as_much_as_it_may(
    store: Store, cap: float | None, spent: float, is_reached: bool
) -> None:
    guard = SpendGuard(store, EngineSettings(daily_spend_hard_usd=cap))
    await spend(store, spent - 1)
    await spend(store, 1.0, "bob")

    if not is_reached:
        await guard.check()
    else:
        with pytest.raises(LimitReached, match="limit of 5 USD") as refused:
            await guard.check()
        assert refused.value.code == "spend_limit"


async def test_what_a_day_has_cost_is_nothing_to_the_next(house: House) -> None:
    await spend(house.store, 2.0)
    now = house.clock.now

    async def look(tx: Transaction) -> list[float]:
        return [await spent_on_day(tx, now + days * DAY_SECONDS) for days in (-1, 0, 1)]

    assert await house.store.read(look) == [0.0, 2.0, 0.0]


class Said:
    """A loop that yields these facts, and notes its brief and its end."""

    def __init__(self, *facts: Fact) -> None:
        self._facts = facts
        self.briefs: list[Brief] = []
        self.is_closed = False

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        self.briefs.append(brief)
        try:
            for fact in self._facts:
                yield fact
        finally:
            self.is_closed = True


@pytest.mark.parametrize(
    ("fact", "cost"),
    [
        (Answered(1, AssistantMessage("Hi"), Usage(10, 5), cost_usd=0.5), Spend(10, 5, 0.5)),
        (Wasted(1, Spend(4, 2, 0.1)), Spend(4, 2, 0.1)),
        (Compacted(1, SUMMARY), Spend(7, 3, 0.25)),
        (TextDelta(1, "Hi"), None),
        (CompactionStarted(1, CompactionReason.AUTO, 900), None),
    ],
)
async def test_what_a_turn_that_is_not_stored_costs_counts_for_its_owner(
    house: House, fact: Fact, cost: Spend | None
) -> None:
    guard = SpendGuard(house.store, EngineSettings(daily_spend_hard_usd=5.0))
    loop = Said(fact)
    brief = memory_brief(a_turn(), [])

    facts = [one async for one in guard.counted(loop, "alice").run(brief)]

    today = day_of(house.clock.now)
    assert facts == [fact]
    assert await house.store.read(lambda tx: tx.spending.since(today, "alice")) == ({today: cost} if cost else {})
    assert await house.store.read(lambda tx: tx.spending.since(today, "bob")) == {}
    assert (loop.briefs[0].turn, loop.briefs[0].check_spend) == (brief.turn, guard.check)


async def test_a_reader_that_goes_away_ends_the_loop(store: Store) -> None:
    loop = Said(TextDelta(1, "Hi"), TextDelta(1, "there"))

    counted = SpendGuard(store, EngineSettings()).counted(loop, "alice")
    async with aclosing(counted.run(memory_brief(a_turn(), []))) as facts:
        await anext(facts)

    assert loop.is_closed
