"""Responses with store=false: each lives as long as its connection, and leaves nothing behind."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.frames import DONE
from wakeful.gateway.openai.items.inputs import Input
from wakeful.gateway.openai.items.references import References
from wakeful.gateway.openai.lanes.answered_calls import require_calls
from wakeful.gateway.openai.lanes.entry import lane_history
from wakeful.gateway.openai.lanes.lane import ApiLane, Lanes
from wakeful.gateway.openai.responses.request import ResponseRequest
from wakeful.gateway.openai.responses.response import ResponseObject
from wakeful.gateway.openai.responses.turn_response import in_conversation, response_of
from wakeful.model.api.request import TurnRequest
from wakeful.model.event import StreamItem
from wakeful.model.ids import new_id
from wakeful.model.journal.entry import input_entry
from wakeful.model.journal.message import Message
from wakeful.model.journal.transcript import fold
from wakeful.model.turn import Turn, TurnStatus
from wakeful.store.base import Transaction
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.sse import EventStream, until_gone


@dataclass(frozen=True, slots=True)
class _Unstored:
    turn: Turn
    messages: Sequence[Message]
    owner: str


class UnstoredResponses:
    def __init__(self, api: Api, lanes: Lanes) -> None:
        self._api = api
        self._lanes = lanes
        self._references = References(api)

    async def create(self, request: Request, asked: ResponseRequest) -> Response | EventStream:
        unstored = await self._prepare(request, asked)
        log = self._api.engine.ephemeral.run(unstored.turn, unstored.messages, unstored.owner)
        if asked.is_streamed:
            return EventStream(_frames(unstored, log), self._api.streams)
        return JsonAnswer(await _unless_gone(request, unstored, log))

    async def _prepare(self, request: Request, asked: ResponseRequest) -> _Unstored:
        model = await self._api.require_model(asked.model, status=400)
        lane = await self._lanes.find(request, model, asked.conversation, asked.previous_response_id)
        if lane.new_conversation is not None:
            # The conversation is not created, so the response has no id of one.
            lane = replace(lane, conversation_id=None)
        inputs = await self._references.resolve(request, asked.inputs)
        await require_calls(self._api.store, lane, inputs, "input")

        async def body(tx: Transaction) -> _Unstored:
            return await self._read(tx, lane, in_conversation(asked.turn, lane), inputs, model)

        return await self._api.store.read(body)

    async def _read(
        self, tx: Transaction, lane: ApiLane, asked: TurnRequest, inputs: Sequence[Input], model: str
    ) -> _Unstored:
        session, before = await lane_history(tx, lane)
        turn = Turn(
            id=new_id("turn"),
            session_id=session.id,
            parent=session.checkpoint,
            door=self._api.door,
            address=self._api.address,
            source="user",
            is_wakeup=False,
            model=model,
            status=TurnStatus.RUNNING,
            node=None,
            epoch=0,
            workspace=session.workspace,
            request=self._api.marked(asked).dump(),
            is_ephemeral=True,
            opened_at=await tx.now(),
        )
        said = [input_entry(turn.id, 0, index, given) for index, given in enumerate(inputs)]
        return _Unstored(turn, fold([*before, *said], turn.id).messages, session.owner)


async def _frames(unstored: _Unstored, log: AsyncGenerator[StreamItem, None]) -> AsyncGenerator[bytes, None]:
    projection = response_of(unstored.turn)
    async with aclosing(log):
        async for item in log:
            for frame in projection.feed(item):
                yield frame.wire
    yield DONE


async def _unless_gone(request: Request, unstored: _Unstored, log: AsyncGenerator[StreamItem, None]) -> ResponseObject:
    """Return the finished response. Raises ClientDisconnect if the client leaves first."""
    answering = asyncio.create_task(_whole(unstored, log))
    leaving = asyncio.create_task(until_gone(request.receive))
    try:
        await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise ClientDisconnect
        return answering.result()
    finally:
        for job in (answering, leaving):
            job.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)


async def _whole(unstored: _Unstored, log: AsyncGenerator[StreamItem, None]) -> ResponseObject:
    projection = response_of(unstored.turn)
    async with aclosing(log):
        async for item in log:
            projection.feed(item)
    return projection.response()
