"""Subscribers are cursors: from any number, replay then follow, no gap, no double, however slow."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from typing import TypeVar

from tests.bare_engine import bare_engine
from tests.engine.kit import (
    HOME,
    WEB,
    House,
    LedAgent,
    Node,
    events_of,
    items_of,
    kinds_of,
    open_session,
    send,
    texts_of,
)
from tests.patience import PATIENCE
from wakeful.engine.clock import SystemClock
from wakeful.engine.inbox.submission import Submission
from wakeful.engine.readers.followed import Followed
from wakeful.engine.settings import EngineSettings
from wakeful.model.event import Event, StreamItem
from wakeful.model.words import Position, Word
from wakeful.store.base import Body, Transaction
from wakeful.store.postgres.store import PostgresStore

T = TypeVar("T")


async def finished_turn(node: Node, session: str, text: str, tokens: int) -> str:
    receipt = await send(node, session, text)
    node.agent.order(receipt.turn_id, *["token"] * tokens, "finish")
    await events_of(node, session, receipt.turn_id)
    return receipt.turn_id


async def read_turns(node: Node, session: str, start: Position, turns: int) -> list[StreamItem]:
    """Return what happens in a session after a position, up to the end of that many turns."""
    seen: list[StreamItem] = []
    async with asyncio.timeout(PATIENCE), aclosing(node.engine.subscribe(session, start)) as pages:
        async for page in pages:
            seen += page
            if sum(isinstance(item, Event) and item.is_final for item in seen) == turns:
                break
    return seen


def place_after(seen: Sequence[StreamItem]) -> Position:
    """Return the position of a reader of the session that has read this from the start."""
    position = Position()
    for item in seen:
        if isinstance(item, Word):
            position = replace(position, base=item.head.base, word=item.number)
        else:
            position = Position(item.session_seq) if item.ends is not None else replace(position, fact=item.session_seq)
    return position


async def test_a_turn_can_be_read_from_any_position(node: Node) -> None:
    session = await open_session(node)
    turn_id = await finished_turn(node, session, "hello", 3)
    whole = await items_of(node, session, turn_id)
    assert kinds_of(whole) == ["turn_started", "message", *["token"] * 3, "usage", "done"]
    for seen in range(len(whole)):
        facts = sum(isinstance(item, Event) for item in whole[:seen])
        words = seen - 2 if facts == 2 else 0
        assert await items_of(node, session, turn_id, facts, words) == whole[seen:]


async def test_a_session_can_be_read_from_any_position(node: Node) -> None:
    session = await open_session(node)
    await finished_turn(node, session, "first", 3)
    await finished_turn(node, session, "second", 2)
    whole = await read_turns(node, session, Position(), 2)
    for seen in range(len(whole)):
        ended = sum(isinstance(item, Event) and item.is_final for item in whole[:seen])
        assert await read_turns(node, session, place_after(whole[:seen]), 2 - ended) == whole[seen:]


async def test_a_session_is_followed_across_its_turns(node: Node) -> None:
    session = await open_session(node)
    reader = asyncio.create_task(read_turns(node, session, Position(), 2))
    await finished_turn(node, session, "first", 1)
    await finished_turn(node, session, "second", 1)
    seen = await reader
    numbers = [item.session_seq for item in seen if isinstance(item, Event)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(texts_of(seen)) == 2


async def test_a_fact_that_comes_while_a_reader_looks_is_not_missed(node: Node) -> None:
    session = await open_session(node)
    read = node.store.read

    async def be_overtaken(body: Body[T]) -> T:
        del node.store.read
        seen = await read(body)
        await finished_turn(node, session, "first", 0)
        return seen

    node.store.read = be_overtaken  # type: ignore[method-assign]
    assert kinds_of(await read_turns(node, session, Position(), 1))[-1] == "done"


async def test_many_subscribers_see_the_same(node: Node) -> None:
    session = await open_session(node)
    readers = [asyncio.create_task(read_turns(node, session, Position(after), 1)) for after in range(3)]
    await finished_turn(node, session, "first", 4)
    readers += [asyncio.create_task(read_turns(node, session, Position(after), 1)) for after in range(3)]
    whole, *others = await asyncio.gather(*readers)
    assert others == [whole[1:], whole[2:], whole, whole[1:], whole[2:]]


async def test_a_slow_subscriber_of_a_long_answer_misses_nothing(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    slow = node.engine.subscribe_turn(session, receipt.turn_id)
    seen = await anext(slow)
    node.agent.order(receipt.turn_id, *["token"] * 700)
    await house.settle()
    live = await anext(slow)
    node.agent.order(receipt.turn_id, "finish")
    await events_of(node, session, receipt.turn_id)
    await finished_turn(node, session, "next", 1)
    rest = [item async for page in slow for item in page]
    seen += live + rest
    assert 0 < len(live) < 700
    assert [item.number for item in seen if isinstance(item, Word)] == list(range(1, 701))
    assert [item.turn_seq for item in seen if isinstance(item, Event)] == [1, 2, 3, 4]
    assert seen == await items_of(node, session, receipt.turn_id)


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
    assert node.engine._broadcaster._followed.all() == []


async def test_a_fact_is_on_disk_before_a_reader_sees_it(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "talk")
    node.agent.order(receipt.turn_id, *["token"] * 20, "finish")
    async for page in node.engine.subscribe_turn(session, receipt.turn_id):
        for event in page:
            if isinstance(event, Event):

                async def body(tx: Transaction, number: int = event.session_seq) -> list[Event]:
                    return await tx.events.of_session(session, number - 1, 1)

                assert await house.store.read(body) == [event]


async def test_a_turn_read_after_its_last_event_ends_at_once(node: Node) -> None:
    session = await open_session(node)
    turn_id = await finished_turn(node, session, "hello", 1)
    whole = await events_of(node, session, turn_id)
    assert await items_of(node, session, turn_id, len(whole)) == []


async def test_a_reader_ahead_of_its_turn_gets_what_is_after_its_position(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    reader = asyncio.create_task(items_of(node, session, receipt.turn_id, 3))
    await house.settle()
    node.agent.order(receipt.turn_id, "finish")
    assert kinds_of(await reader) == ["done"]


async def test_a_withdrawn_message_read_after_its_only_event_ends_at_once(node: Node) -> None:
    session = await open_session(node)
    await send(node, session, "first")
    queued = await send(node, session, "queued")
    await node.engine.withdraw(session, queued.turn_id)
    assert await items_of(node, session, queued.turn_id, 1) == []


async def test_a_node_that_stops_ends_its_subscriptions(node: Node, house: House) -> None:
    session = await open_session(node)
    await finished_turn(node, session, "hello", 1)
    reader = asyncio.create_task(read_turns(node, session, Position(), 99))
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
        async with asyncio.timeout(PATIENCE), aclosing(here.subscribe_turn(session.id, receipt.turn_id)) as pages:
            agent.order(receipt.turn_id, "token")
            while "token" not in kinds_of(await anext(pages)):
                pass
            assert await there.cancel(session.id)
            assert kinds_of([item async for page in pages for item in page])[-1] == "cancelled"


def test_events_that_are_announced_out_of_order_leave_no_gap() -> None:
    followed = Followed()
    for number in (4, 6, 5, 6):
        followed.add(Event("s", number, None, None, "token", b"{}", 0.0))
    assert followed.after(4) is None
    assert [event.session_seq for event in followed.tail] == [6]
    assert followed.after(5) == list(followed.tail)
