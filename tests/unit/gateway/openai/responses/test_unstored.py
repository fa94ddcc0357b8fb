"""Responses that are not stored: they live as long as their client, and leave nothing behind."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from tests.patience import PATIENCE
from tests.unit.gateway.openai.kit import done, log, token
from tests.unit.gateway.openai.taking import TakingEngine, asking, taking_api
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.responses.routes import ResponseRoutes
from wakeful.model.event import StreamItem
from wakeful.model.journal.message import Message
from wakeful.model.turn import Turn
from wakeful.store.base import Store
from wakeful.wire.sse import EventStream

HELLO = {"input": "Hello", "model": "demo:model", "store": False}


@dataclass
class EphemeralEngine(TakingEngine):
    runs: list[tuple[Turn, Sequence[Message], str]] = field(default_factory=list)
    items: list[StreamItem] = field(default_factory=lambda: [*log(token("Hi"), done())])
    has_begun: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def ephemeral(self) -> "EphemeralEngine":
        return self

    async def run(self, turn: Turn, messages: Sequence[Message], owner: str) -> AsyncGenerator[StreamItem, None]:
        self.runs.append((turn, messages, owner))
        self.has_begun.set()
        try:
            for item in self.items:
                yield item
            if self.is_endless:
                await asyncio.Event().wait()
        finally:
            self.left += 1


@pytest.fixture
def engine(store: Store) -> EphemeralEngine:
    return EphemeralEngine(store)


@pytest.fixture
def routes(engine: EphemeralEngine) -> ResponseRoutes:
    return ResponseRoutes(taking_api(engine))


async def created(routes: ResponseRoutes, **changes: Any) -> dict[str, Any]:
    answer = await routes.create(asking(HELLO | changes))
    assert isinstance(answer, Response)
    found: dict[str, Any] = orjson.loads(answer.body)
    return found


async def test_it_is_answered_whole_and_nothing_is_stored(engine: EphemeralEngine, routes: ResponseRoutes) -> None:
    found = await created(routes)

    ((turn, messages, owner),) = engine.runs
    assert (found["status"], found["store"], found["output"][0]["content"][0]["text"]) == ("completed", False, "Hi")
    assert ([message.text for message in messages], owner) == (["Hello"], "alice")
    assert (turn.is_ephemeral, turn.node, turn.epoch, turn.source) == (True, None, 0, "user")
    assert (turn.is_wakeup, turn.parent, turn.opened_at > 0) == (False, None, True)
    assert await engine.store.read(lambda tx: tx.turns.get(turn.id)) is None
    assert await engine.store.read(lambda tx: tx.sessions.get(turn.session_id)) is None
    assert (engine.left, engine.submissions) == (1, [])


async def test_a_stream_ends_with_its_mark(engine: EphemeralEngine, routes: ResponseRoutes) -> None:
    answer = await routes.create(asking(HELLO | {"stream": True}))
    assert isinstance(answer, EventStream)
    pieces = [piece async for piece in answer._frames]

    assert pieces[-1] == b"data: [DONE]\n\n"
    assert b"response.completed" in pieces[-2]
    assert engine.left == 1


async def test_a_new_name_is_not_taken_by_it(engine: EphemeralEngine, routes: ResponseRoutes) -> None:
    found = await created(routes, conversation="plans")

    assert found["conversation"] is None
    assert await engine.store.read(lambda tx: tx.conversations.named("alice", "plans")) is None


async def test_in_a_conversation_it_waits_for_no_turn_and_is_refused(
    engine: EphemeralEngine, routes: ResponseRoutes
) -> None:
    await routes.create(asking(HELLO | {"store": True, "background": True, "conversation": "plans"}))
    with pytest.raises(ApiError) as refusal:
        await created(routes, conversation="plans")

    assert (refusal.value.code, engine.runs) == ("conversation_response_not_completed", [])


async def test_an_output_needs_its_call(engine: EphemeralEngine, routes: ResponseRoutes) -> None:
    output = {"type": "function_call_output", "call_id": "c1", "output": "done"}
    with pytest.raises(ApiError) as refusal:
        await created(routes, input=[output])

    assert (refusal.value.code, engine.runs) == ("call_not_found", [])


async def test_a_client_that_leaves_stops_it(engine: EphemeralEngine, routes: ResponseRoutes) -> None:
    engine.items, engine.is_endless = [], True
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(ClientDisconnect):
            await routes.create(asking(HELLO, left=engine.has_begun))

    assert (len(engine.runs), engine.left) == (1, 1)


async def test_a_model_that_nobody_has_is_refused(engine: EphemeralEngine, routes: ResponseRoutes) -> None:
    with pytest.raises(ApiError) as refusal:
        await created(routes, model="none")

    assert (refusal.value.status, refusal.value.code) == (400, "model_not_found")


async def test_a_reader_that_leaves_a_stream_stops_it(engine: EphemeralEngine, routes: ResponseRoutes) -> None:
    engine.is_endless = True
    answer = await routes.create(asking(HELLO | {"stream": True}))
    assert isinstance(answer, EventStream)
    frames = answer._frames
    assert b"response.created" in await anext(frames)
    assert engine.left == 0

    await frames.aclose()
    assert engine.left == 1


async def test_a_log_that_cannot_be_read_is_left(engine: EphemeralEngine, routes: ResponseRoutes) -> None:
    broken: Any = "no event"
    engine.items, engine.is_endless = [broken], True
    with pytest.raises(AttributeError):
        await routes.create(asking(HELLO))

    assert engine.left == 1
