"""What the answers of a day cost, and the operator's caps on it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from wakeful.engine.ports import AgentLoop
from wakeful.engine.settings import EngineSettings
from wakeful.errors import LimitReached
from wakeful.model.journal.fact import Answered, Brief, Compacted, Fact, Wasted
from wakeful.model.spend import Spend, day_of
from wakeful.store.base import Store, Transaction


@dataclass(frozen=True, slots=True)
class SpendGuard:
    store: Store
    settings: EngineSettings

    async def check(self) -> None:
        """Raises LimitReached if the day has cost so much that no model is asked any more."""
        cap = self.settings.daily_spend_hard_usd
        if cap is not None and await self.store.read(_spent_now) >= cap:
            raise LimitReached(
                f"Today's spend has reached its limit of {cap:g} USD (WAKEFUL_DAILY_SPEND_HARD_USD): no model is asked "
                "until midnight UTC, or until the limit is raised and Wakeful started again.",
                code="spend_limit",
            )

    def counted(self, loop: AgentLoop, owner: str) -> AgentLoop:
        """Return the loop for turns of this owner that are not stored: nothing else records what they cost."""
        return _CountedLoop(self, loop, owner)

    async def add_unstored(self, owner: str, spend: Spend) -> None:
        async def body(tx: Transaction) -> None:
            await tx.spending.add_unstored(owner, spend)

        await self.store.write(body)


@dataclass(frozen=True, slots=True)
class _CountedLoop:
    guard: SpendGuard
    loop: AgentLoop
    owner: str

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        async with aclosing(self.loop.run(replace(brief, check_spend=self.guard.check))) as facts:
            async for fact in facts:
                if isinstance(fact, Answered | Wasted):
                    await self.guard.add_unstored(self.owner, fact.spend)
                if isinstance(fact, Compacted):
                    await self.guard.add_unstored(self.owner, fact.summary.spend)
                yield fact


async def spent_on_day(tx: Transaction, at: float) -> float:
    """Return what all answers of this moment's day have cost, in USD."""
    day = day_of(at)
    return (await tx.spending.since(day, None)).get(day, Spend()).usd


async def _spent_now(tx: Transaction) -> float:
    return await spent_on_day(tx, await tx.now())
