"""How many turns work at once, and which turn gets the next slot."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace

import pytest

from tests.bare_engine import bare_engine
from tests.engine.asking import DELETES
from tests.engine.kit import HOME, WEB, House, Node, events_of, kinds_of, open_session, send
from tests.engine.test_ephemeral import ephemeral_turn
from tests.patience import PATIENCE, idle
from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.settings import EngineSettings
from wakeful.engine.turns.turn_slots import TurnSlots
from wakeful.model.approvals.approval import Question
from wakeful.model.journal.fact import Answered, Brief, Fact
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.tasks.goal import Goal
from wakeful.model.turn import Turn, TurnStatus
from wakeful.store.base import Transaction


class Hall:
    """Slots, and turns that are named after their owners: ann1, ann2, bob1."""

    def __init__(self, limit: int) -> None:
        self.slots = TurnSlots(limit, self._owner_of)
        self.begun: list[str] = []
        self.jobs: dict[str, asyncio.Task[None]] = {}
        self._orders: dict[str, asyncio.Queue[str]] = {}

    async def _owner_of(self, turn: Turn) -> str:
        return turn.id.rstrip("0123456789")

    async def come(self, *names: str) -> None:
        for name in names:
            self._orders[name] = asyncio.Queue()
            self.jobs[name] = asyncio.create_task(self._work(name))
            await idle()

    async def tell(self, name: str, order: str) -> None:
        self._orders[name].put_nowait(order)
        await idle()

    async def _work(self, name: str) -> None:
        async with self.slots.taken_by(replace(ephemeral_turn(), id=name)):
            self.begun.append(name)
            await self._orders[name].get()
            async with self.slots.lent():
                await self._orders[name].get()
            self.begun.append(f"{name} again")
            await self._orders[name].get()


@pytest.fixture
async def hall() -> AsyncIterator[Hall]:
    hall = Hall(2)
    yield hall
    for job in hall.jobs.values():
        job.cancel()
    await asyncio.gather(*hall.jobs.values(), return_exceptions=True)
    assert (hall.slots.taken, hall.slots.waiting) == (0, 0)


async def test_a_stop_ends_the_wait_of_those_who_come_and_of_those_who_come_back(hall: Hall) -> None:
    await hall.come("ann1", "ann2")
    await hall.tell("ann1", "lend")
    await hall.come("bob1", "eve1")
    await hall.tell("ann1", "come back")
    assert hall.slots.waiting == 2

    hall.slots.close()
    await idle()

    assert hall.jobs["ann1"].cancelled()
    assert hall.jobs["eve1"].cancelled()
    assert hall.slots.waiting == 0


async def test_owners_take_turns_however_much_one_of_them_asks_for(hall: Hall) -> None:
    await hall.come("ann1", "ann2", "ann3", "ann4", "bob1", "ann5", "bob2", "eve1")
    assert hall.begun == ["ann1", "ann2"]
    assert hall.slots.waiting == 6
    for name in ("ann1", "ann2", "ann3", "bob1", "eve1", "ann4", "bob2"):
        hall.jobs[name].cancel()
        await idle()
    assert hall.begun == ["ann1", "ann2", "ann3", "bob1", "eve1", "ann4", "bob2", "ann5"]


async def test_a_turn_that_is_stopped_while_it_waits_leaves_the_queue_at_once(hall: Hall) -> None:
    await hall.come("ann1", "ann2", "bob1", "eve1")
    hall.jobs["bob1"].cancel()
    await idle()
    assert hall.jobs["bob1"].done()
    assert hall.slots.waiting == 1
    hall.jobs["ann1"].cancel()
    await idle()
    assert hall.begun == ["ann1", "ann2", "eve1"]


async def test_a_turn_that_lent_its_slot_comes_back_before_turns_that_have_not_begun(hall: Hall) -> None:
    await hall.come("ann1", "ann2", "bob1", "eve1")
    await hall.tell("ann1", "lend")
    assert hall.begun == ["ann1", "ann2", "bob1"]
    await hall.tell("ann1", "come back")
    assert hall.begun == ["ann1", "ann2", "bob1"]
    hall.jobs["ann2"].cancel()
    await idle()
    assert hall.begun == ["ann1", "ann2", "bob1", "ann1 again"]
    hall.jobs["bob1"].cancel()
    await idle()
    assert hall.begun[-1] == "eve1"


@pytest.mark.parametrize("moment", ["away", "coming back"])
async def test_a_turn_that_is_stopped_while_its_slot_is_lent_takes_no_other_slot(hall: Hall, moment: str) -> None:
    await hall.come("ann1", "ann2", "bob1", "eve1")
    await hall.tell("ann1", "lend")
    if moment == "coming back":
        await hall.tell("ann1", "come back")
    hall.jobs["ann1"].cancel()
    await idle()
    assert hall.slots.taken == 2
    assert hall.begun == ["ann1", "ann2", "bob1"]


async def test_calls_side_by_side_lend_one_slot_and_take_one_back() -> None:
    hall = Hall(1)
    orders = [asyncio.Event(), asyncio.Event()]

    async def wait(order: asyncio.Event) -> None:
        async with hall.slots.lent():
            await order.wait()

    async def work() -> None:
        async with hall.slots.taken_by(ephemeral_turn()):
            async with asyncio.TaskGroup() as calls:
                for order in orders:
                    calls.create_task(wait(order))
            assert hall.slots.taken == 1

    job = asyncio.create_task(work())
    await idle()
    assert hall.slots.taken == 0
    orders[0].set()
    await idle()
    assert hall.slots.taken == 0
    orders[1].set()
    await job
    assert hall.slots.taken == 0


async def in_sessions(node: Node, house: House, *names: str) -> list[Receipt]:
    receipts = [await send(node, await open_session(node, owner=name), name) for name in names]
    await house.settle()
    return receipts


async def test_an_engine_runs_so_many_turns_and_a_stop_reaches_those_that_wait(house: House) -> None:
    house.settings = EngineSettings(stop_grace_seconds=1.0, concurrent_turns=2)
    node = await house.start_node()
    one, two, three, four = await in_sessions(node, house, "ann", "ann", "ann", "bob")
    assert node.agent.briefs.keys() == {one.turn_id, two.turn_id}
    assert await node.engine.cancel(three.session_id)
    assert kinds_of(await events_of(node, three.session_id, three.turn_id))[-1] == "cancelled"
    node.agent.order(one.turn_id, "finish")
    await house.settle()
    assert node.agent.briefs.keys() == {one.turn_id, two.turn_id, four.turn_id}


async def test_a_server_that_stops_leaves_those_that_wait_to_the_next_one(house: House) -> None:
    house.settings = EngineSettings(stop_grace_seconds=0.0, concurrent_turns=1)
    node = await house.start_node()
    receipts = await in_sessions(node, house, "ann", "bob")
    await node.engine.stop()
    assert len(node.agent.briefs) == 1
    await house.kill(node)
    second = await house.start_node()
    for _ in receipts:
        for turn_id in list(second.agent.briefs):
            second.agent.order(turn_id, "finish")
        await house.settle()
    assert {brief.turn.id: brief.turn.resumes for brief in second.agent.briefs.values()} == {
        receipt.turn_id: 0 for receipt in receipts
    }


async def test_after_a_crash_the_orphans_come_one_after_the_other(house: House) -> None:
    node = await house.start_node()
    receipts = await in_sessions(node, house, *["ann"] * 5)
    await house.kill(node)
    await house.advance(60)
    house.settings = EngineSettings(stop_grace_seconds=1.0, concurrent_turns=10)
    second = await house.start_node()
    assert len(second.agent.briefs) == 2
    # New turns have separate slots.
    (new,) = await in_sessions(second, house, "bob")
    assert new.turn_id in second.agent.briefs
    receipts.append(new)
    for _ in range(5):
        for turn_id in list(second.agent.briefs):
            second.agent.order(turn_id, "finish")
        await house.settle()
    assert second.agent.briefs.keys() == {receipt.turn_id for receipt in receipts}


class Boss:
    """A loop that hands its goal on and waits; its sub-agents answer at once."""

    engine: Engine

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        answer = "found"
        if brief.turn.source != "delegation":
            (begun,) = await self.engine.delegations.begin(brief.turn, 1, 1, [Goal("look")], is_inline=True)
            (task,) = await self.engine.delegations.ended([begun.id])
            answer = f"heard {task.result}"
        yield Answered(1, AssistantMessage(answer), Usage(1, 1))


async def test_parents_that_wait_for_their_sub_agents_leave_them_their_slots(house: House) -> None:
    boss = Boss()
    settings = EngineSettings(stop_grace_seconds=0.0, concurrent_turns=1)
    boss.engine = engine = bare_engine(house.store, boss, house.clock, settings)
    await engine.start()
    try:
        for name in ("one", "two"):
            session = await engine.create_session("ann", HOME, "demo:led", "/")
            await engine.submit(Submission(session.id, name, WEB, HOME, name, "demo:led"))
        async with asyncio.timeout(PATIENCE):
            while any(turn.status is TurnStatus.RUNNING for turn in await _turns(house)):
                await house.settle()
        assert {turn.status for turn in await _turns(house)} == {TurnStatus.DONE}
    finally:
        await engine.stop()


class Asker:
    """A loop that asks a person, or answers at once."""

    engine: Engine

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        if brief.messages[-1].text == "ask":
            await self.engine.approvals.ask(brief.turn, 1, 1, Question("call_1", "terminal", "rm -r /srv", DELETES))
        yield Answered(1, AssistantMessage("done"), Usage(1, 1))


async def test_a_turn_that_waits_for_a_person_leaves_its_slot_to_others(house: House) -> None:
    asker = Asker()
    settings = EngineSettings(stop_grace_seconds=0.0, concurrent_turns=1)
    asker.engine = engine = bare_engine(house.store, asker, house.clock, settings)
    await engine.start()
    try:
        asking, other = [
            await engine.submit(Submission(session.id, name, WEB, HOME, name, "demo:led"))
            for name in ("ask", "hello")
            for session in [await engine.create_session("ann", HOME, "demo:led", "/")]
        ]
        async with asyncio.timeout(PATIENCE):
            async for _ in engine.subscribe_turn(other.session_id, other.turn_id):
                pass
        assert {turn.id for turn in await _turns(house) if turn.status is TurnStatus.RUNNING} == {asking.turn_id}
    finally:
        await engine.stop()


async def _turns(house: House) -> list[Turn]:
    async def body(tx: Transaction) -> list[Turn]:
        sessions = await tx.sessions.page("ann", limit=10)
        return [turn for session in sessions for turn in await tx.turns.recent(session.id, 10)]

    return await house.store.read(body)
