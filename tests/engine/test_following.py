"""Subscribers are cursors: from any number, replay then follow, no gap, no double, however slow."""

import asyncio
from contextlib import AsyncExitStack, aclosing

import pytest

from tests.bare_engine import bare_engine
from tests.engine.kit import HOME, WEB, House, LedAgent, Node, events_of, open_session, send
from wakeful.engine.broadcaster import _after, _Followed
from wakeful.engine.clock import SystemClock
from wakeful.engine.settings import EngineSettings
from wakeful.engine.submission import Submission
from wakeful.model.event import Event
from wakeful.store.base import Transaction
from wakeful.store.postgres.store import PostgresStore


async def finished_turn(node: Node, session: str, text: str, tokens: int) -> str:
    receipt = await send(node, session, text)
    node.agent.order(receipt.turn_id, *["token"] * tokens, "finish")
    await events_of(node, session, receipt.turn_id)
    return receipt.turn_id


async def read_turns(node: Node, session: str, after: int, turns: int) -> list[Event]:
    """The events of a session after a number, up to the end of that many turns."""
    seen: list[Event] = []
    async with asyncio.timeout(10), aclosing(node.engine.subscribe(session, after)) as events:
        async for event in events:
            seen.append(event)
            turns -= event.is_final
            if turns == 0:
                break
    return seen


@pytest.mark.parametrize("after", [0, 1, 2, 3])
async def test_a_turn_can_be_read_after_any_of_its_events(node: Node, after: int) -> None:
    session = await open_session(node)
    turn_id = await finished_turn(node, session, "hello", 1)
    whole = await events_of(node, session, turn_id)
    rest = [event async for event in node.engine.subscribe_turn(session, turn_id, after)]
    assert rest == whole[after:]


async def test_a_session_is_followed_across_its_turns(node: Node) -> None:
    session = await open_session(node)
    reader = asyncio.create_task(read_turns(node, session, 0, 2))
    await finished_turn(node, session, "first", 1)
    await finished_turn(node, session, "second", 1)
    seen = await reader
    assert [event.session_seq for event in seen] == list(range(1, len(seen) + 1))


async def test_many_subscribers_see_the_same(node: Node) -> None:
    session = await open_session(node)
    readers = [asyncio.create_task(read_turns(node, session, after, 1)) for after in range(3)]
    await finished_turn(node, session, "first", 4)
    readers += [asyncio.create_task(read_turns(node, session, after, 1)) for after in range(3)]
    whole, *others = await asyncio.gather(*readers)
    assert others == [whole[1:], whole[2:], whole, whole[1:], whole[2:]]


async def test_a_slow_subscriber_of_a_long_turn_misses_nothing(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    slow = node.engine.subscribe_turn(session, receipt.turn_id)
    seen = [await anext(slow)]
    for _ in range(700):
        node.agent.order(receipt.turn_id, "token")
        await house.settle()
    node.agent.order(receipt.turn_id, "finish")
    await events_of(node, session, receipt.turn_id)
    seen += [event async for event in slow]
    assert [event.turn_seq for event in seen] == list(range(1, len(seen) + 1))
    assert sum(event.kind == "token" for event in seen) == 700


async def test_a_queued_turn_is_waited_for(node: Node) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    queued = await send(node, session, "queued")
    reader = asyncio.create_task(events_of(node, session, queued.turn_id))
    await asyncio.sleep(0)
    node.agent.order(first.turn_id, "finish")
    node.agent.order(queued.turn_id, "finish")
    assert (await reader)[-1].kind == "done"


async def test_a_subscriber_that_has_gone_leaves_nothing_behind(node: Node) -> None:
    session = await open_session(node)
    await finished_turn(node, session, "first", 1)
    async with aclosing(node.engine.subscribe(session)) as events:
        await anext(events)
    assert node.engine._broadcaster._followed == {}


async def test_an_event_is_on_disk_before_anybody_sees_it(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, *["token"] * 20, "finish")
    async for event in node.engine.subscribe_turn(session, receipt.turn_id):

        async def body(tx: Transaction, number: int = event.session_seq) -> list[Event]:
            return await tx.events.of_session(session, number - 1, 1)

        assert await house.store.read(body) == [event]


async def test_a_turn_read_after_its_last_event_ends_at_once(node: Node) -> None:
    session = await open_session(node)
    turn_id = await finished_turn(node, session, "hello", 1)
    whole = await events_of(node, session, turn_id)
    async with asyncio.timeout(5):
        assert [event async for event in node.engine.subscribe_turn(session, turn_id, len(whole))] == []


async def test_a_withdrawn_message_read_after_its_only_event_ends_at_once(node: Node) -> None:
    session = await open_session(node)
    await send(node, session, "first")
    queued = await send(node, session, "queued")
    await node.engine.withdraw(session, queued.turn_id)
    async with asyncio.timeout(5):
        assert [event async for event in node.engine.subscribe_turn(session, queued.turn_id, 1)] == []


async def test_a_node_that_stops_ends_its_subscriptions(node: Node, house: House) -> None:
    session = await open_session(node)
    await finished_turn(node, session, "hello", 1)
    reader = asyncio.create_task(read_turns(node, session, 0, 99))
    await house.settle()
    await node.engine.stop()
    assert (await reader)[-1].kind == "done"


async def test_what_another_server_commits_is_seen_too(postgres_url: str) -> None:
    async with AsyncExitStack() as ending:
        stores = PostgresStore(postgres_url), PostgresStore(postgres_url)
        for store in stores:
            ending.push_async_callback(store.close)
            await store.open()
        agent = LedAgent()
        here, there = (
            bare_engine(store, agent, SystemClock(), EngineSettings(stop_grace_seconds=0)) for store in stores
        )
        ending.push_async_callback(here.stop)
        await here.start()
        session = await here.create_session("me", HOME, "demo:led", "/")
        receipt = await here.submit(Submission(session.id, "x", WEB, HOME, "x", "demo:led"))
        async with asyncio.timeout(10), aclosing(here.subscribe_turn(session.id, receipt.turn_id)) as events:
            agent.order(receipt.turn_id, "token")
            while (await anext(events)).kind != "token":
                pass
            assert await there.cancel(session.id)
            assert (await anext(events)).kind == "cancelled"


def test_events_told_in_another_order_than_they_happened_in_leave_no_gap() -> None:
    followed = _Followed()
    for number in (4, 6, 5):
        followed.add(Event("s", number, None, None, "token", b"{}", 0.0))
    assert _after(followed.tail, 4) is None
    assert _after(followed.tail, 5) == list(followed.tail)
