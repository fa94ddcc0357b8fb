"""Titles by a model: at most two tries, in the background, and never instead of a title that the user has chosen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.engine.kit import House, Node, finish, log_of, open_session, send, session_of, until
from tests.store.test_purges import purge
from wakeful.engine.supervisor import Supervisor
from wakeful.engine.upkeep.titles import AskForTitle, Titles
from wakeful.errors import ModelError
from wakeful.model.session import Address, TitleOrigin
from wakeful.model.spend import Spend, day_of

PAGE = Address("web")
COST = Spend(20, 4, 0.25)


class Model:
    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str, str]] = []
        self.gate: asyncio.Event | None = None

    async def ask(self, model: str, said: str, answered: str) -> tuple[str, Spend]:
        self.asked.append((model, said, answered))
        if self.gate is not None:
            await self.gate.wait()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer, COST


@asynccontextmanager
async def titles_made(house: House, ask: AskForTitle) -> AsyncIterator[None]:
    async with Supervisor().at_work(Titles(house.store, ask, house.clock).job):
        yield


async def answered(house: House, node: Node, session_id: str, text: str) -> None:
    receipt = await send(node, session_id, text, address=PAGE)
    await house.settle()
    await finish(node, house, receipt)


async def titled(house: House, session_id: str, title: str) -> None:
    async def is_so() -> bool:
        return (await session_of(house, session_id)).title == title

    await until(is_so)


async def test_the_first_answer_brings_a_title(house: House, node: Node) -> None:
    model = Model("  Sheep\nand more  ")
    session_id = await open_session(node, PAGE)
    async with titles_made(house, model.ask):
        receipt = await send(node, session_id, "count the sheep", address=PAGE)
        await house.settle()
        before = await session_of(house, session_id)
        assert (before.title, before.title_origin, model.asked) == ("count the sheep", TitleOrigin.WORDS, [])
        await finish(node, house, receipt)
        await titled(house, session_id, "Sheep and more")
        await answered(house, node, session_id, "and the goats")

    assert model.asked == [("demo:led", "count the sheep", "done")]
    changes = [event.data for event in await log_of(house, session_id) if event.kind == "session-updated"]
    assert changes == [{"session_id": session_id, "changed": ["title"]}] * 2


async def test_a_model_that_fails_is_asked_once_more_and_then_no_more(house: House, node: Node) -> None:
    model = Model(ModelError("down", code="model_unavailable"), ModelError("down", code="model_unavailable"))
    session_id = await open_session(node, PAGE)
    for _ in ("a server", "the next one"):
        async with titles_made(house, model.ask):
            for words in ("one", "two"):
                await answered(house, node, session_id, words + str(len(model.asked)))
    await house.settle()

    assert len(model.asked) <= 2
    assert (await session_of(house, session_id)).title == "one0"


async def test_the_users_own_title_wins_also_while_the_model_thinks(house: House, node: Node) -> None:
    model = Model("Sheep")
    model.gate = asyncio.Event()
    session_id = await open_session(node, PAGE)
    async with titles_made(house, model.ask):
        await answered(house, node, session_id, "count the sheep")

        async def is_asked() -> bool:
            return bool(model.asked)

        await until(is_asked)
        await node.engine.change_session(session_id, title="Mine")
        model.gate.set()
        await answered(house, node, session_id, "more")

    assert (await session_of(house, session_id)).title == "Mine"


@pytest.mark.parametrize("platform", ["api_server", "terminal", "ask"])
async def test_other_doors_make_no_call_beside_their_answer(house: House, node: Node, platform: str) -> None:
    model = Model("Sheep")
    session_id = await open_session(node, Address(platform))
    async with titles_made(house, model.ask):
        await answered(house, node, session_id, "count the sheep")
        page = await open_session(node, PAGE)
        await answered(house, node, page, "and the goats")
        await titled(house, page, "Sheep")

    assert [said for _, said, _ in model.asked] == ["and the goats"]


async def test_a_session_that_is_gone_when_the_title_comes_is_left_alone(house: House, node: Node) -> None:
    session_id = await open_session(node, PAGE)
    await answered(house, node, session_id, "count the sheep")

    async def ask_too_long(*_: str) -> tuple[str, Spend]:
        await purge(house.store, session_id)
        return "Sheep", COST

    await Titles(house.store, ask_too_long, house.clock).improve(session_id)

    assert await house.store.read(lambda tx: tx.sessions.get(session_id)) is None


async def test_a_session_without_an_answer_asks_for_no_title(house: House, node: Node) -> None:
    model = Model()
    titles = Titles(house.store, model.ask, house.clock)
    session_id = await open_session(node, PAGE)
    receipt = await send(node, session_id, "count the sheep", address=PAGE)
    await house.settle()

    await titles.improve(session_id)
    await titles.improve("gone")

    assert (await session_of(house, session_id)).title_tries == 0
    await finish(node, house, receipt)


@pytest.mark.parametrize("answer", ["Sheep", ""])
async def test_a_title_counts_as_spent_even_if_it_is_none(house: House, node: Node, answer: str) -> None:
    session_id = await open_session(node, PAGE)
    async with titles_made(house, Model(answer).ask):
        await answered(house, node, session_id, "count the sheep")

        async def is_counted() -> bool:
            return (await session_of(house, session_id)).spend.usd == COST.usd

        await until(is_counted)

    today = day_of(house.clock.time())
    assert (await house.store.read(lambda tx: tx.spending.since(today, None)))[today].usd == COST.usd
