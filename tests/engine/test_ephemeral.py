"""Turns that are not stored: they emit the same events as stored turns, and leave nothing behind."""

import asyncio
from contextlib import AbstractContextManager, aclosing, nullcontext

import pytest

from tests.engine.kit import HOME, WEB, House, Node, items_of, kinds_of, log_of, open_session, send, session_of
from tests.patience import PATIENCE
from wakeful.errors import EngineStopping
from wakeful.model.event import Event, StreamItem
from wakeful.model.journal.fact import ModelChanged, StepAbandoned
from wakeful.model.journal.message import UserMessage
from wakeful.model.turn import Turn, TurnStatus


def ephemeral_turn(session_id: str = "ses_none", turn_id: str = "turn_e") -> Turn:
    return Turn(
        id=turn_id,
        session_id=session_id,
        parent=None,
        door=WEB,
        address=HOME,
        source="user",
        is_wakeup=False,
        model="demo:led",
        status=TurnStatus.RUNNING,
        node=None,
        epoch=0,
        is_ephemeral=True,
    )


async def emitted(node: Node, *orders: str) -> list[StreamItem]:
    """Return everything that an ephemeral turn with these orders emits."""
    node.agent.order("turn_e", *orders)
    async with (
        asyncio.timeout(PATIENCE),
        aclosing(node.engine.ephemeral.run(ephemeral_turn(), [UserMessage("hi")], "owner")) as log,
    ):
        return [event async for event in log]


def shape(items: list[StreamItem]) -> list[tuple[str, set[str] | str]]:
    return [(one.kind, set(one.data) if isinstance(one, Event) else one.text) for one in items if one.kind != "message"]


async def test_it_tells_of_a_model_that_has_failed_and_of_words_that_are_taken_back(node: Node) -> None:
    node.agent.tell("turn_e", ModelChanged(1, "demo:led", "demo:next", "model_unavailable", "It is down."))
    node.agent.order("turn_e", "token")
    node.agent.tell("turn_e", StepAbandoned(1))

    log = await emitted(node, "finish")

    told = {one.kind: one.data for one in log if isinstance(one, Event)}
    assert "demo:next" in told["model_changed"].values()
    assert told["step_abandoned"]["step"] == 1


async def test_it_emits_the_same_events_as_a_stored_turn(node: Node) -> None:
    session_id = await open_session(node)
    stored = await send(node, session_id, "hi")
    node.agent.order(stored.turn_id, "token", "step", "finish")

    events = await emitted(node, "token", "step", "finish")

    assert shape(events) == shape(await items_of(node, session_id, stored.turn_id))
    numbers = [event.turn_seq for event in events if isinstance(event, Event)]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_its_failure_is_its_last_event_as_of_a_stored_turn(node: Node) -> None:
    session_id = await open_session(node)
    stored = await send(node, session_id, "hi")
    node.agent.order(stored.turn_id, "token", "fail")

    events = await emitted(node, "token", "fail")

    assert shape(events) == shape(await items_of(node, session_id, stored.turn_id))
    assert isinstance(events[-1], Event)
    assert events[-1].data["code"] == "model_unavailable"


async def test_a_bug_in_it_ends_it_with_a_failure(node: Node) -> None:
    events = await emitted(node, "break")

    assert kinds_of(events) == ["turn_started", "failed"]
    assert isinstance(events[-1], Event)
    assert events[-1].data["code"] == "internal_error"


async def test_it_neither_takes_nor_touches_the_session_that_it_reads(house: House, node: Node) -> None:
    session_id = await open_session(node)
    before = await session_of(house, session_id)
    node.agent.order("turn_e", "token", "finish")

    async with aclosing(node.engine.ephemeral.run(ephemeral_turn(session_id), [UserMessage("hi")], "owner")) as log:
        assert [event.kind async for event in log][-1] == "done"

    assert await session_of(house, session_id) == before
    assert await log_of(house, session_id) == []


async def test_it_ends_when_its_reader_goes_away(node: Node) -> None:
    node.agent.order("turn_e", "token")
    log = node.engine.ephemeral.run(ephemeral_turn(), [UserMessage("hi")], "owner")
    assert [(await anext(log)).kind, (await anext(log)).kind] == ["turn_started", "token"]

    await log.aclose()

    assert not [job for job in asyncio.all_tasks() if job.get_name() == "turn_e"]


async def test_the_model_is_read_no_further_than_its_reader_can_follow(house: House, node: Node) -> None:
    node.agent.order("turn_e", *["token"] * 3000, "finish")
    log = node.engine.ephemeral.run(ephemeral_turn(), [UserMessage("hi")], "owner")
    await anext(log)

    await house.settle()

    assert node.agent._orders["turn_e"].qsize() > 1500
    assert len([event async for event in log]) == 3000 + len(["usage", "done"])


async def test_a_stop_of_the_engine_ends_it_and_its_reader_gets_the_end(house: House, node: Node) -> None:
    async with aclosing(node.engine.ephemeral.run(ephemeral_turn(), [UserMessage("hi")], "owner")) as log:
        assert (await anext(log)).kind == "turn_started"
        house.nodes.remove(node)
        await node.engine.stop()
        last = await anext(log)

    assert isinstance(last, Event)
    assert (last.kind, last.data["code"]) == ("failed", "stopping")
    with pytest.raises(EngineStopping):
        node.engine.ephemeral.run(ephemeral_turn(), [], "owner")


async def test_it_is_bound_by_its_own_columns(house: House) -> None:
    bound: list[Turn] = []

    class NotingBinder:
        def bind(self, turn: Turn) -> AbstractContextManager[None]:
            bound.append(turn)
            return nullcontext()

    await emitted(await house.start_node(binder=NotingBinder()), "finish")

    assert bound == [ephemeral_turn()]
