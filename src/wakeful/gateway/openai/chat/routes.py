"""The route of chat completions: a turn that is cancelled when its client leaves. The request has the whole
conversation, unless it names a session to continue.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.requests import ClientDisconnect, Request
from starlette.routing import Route

from wakeful.engine.inbox.submission import Receipt
from wakeful.errors import EngineStopping
from wakeful.gateway.openai.api import Api, ends_turn, read_api_body
from wakeful.gateway.openai.chat.answer import ChatAnswer, ChatFacts
from wakeful.gateway.openai.chat.new_messages import KnownChat, without_known_messages
from wakeful.gateway.openai.chat.request import ChatRequest, in_session, read_chat_request
from wakeful.gateway.openai.chat.stream import ChatStream
from wakeful.gateway.openai.failure import chat_status
from wakeful.gateway.openai.lanes.answered_calls import require_calls
from wakeful.gateway.openai.lanes.entry import enter, until_entered
from wakeful.gateway.openai.lanes.lane import ApiLane, Lanes
from wakeful.gateway.openai.session_headers import SessionHeaders, WithSessionHeader, model_in
from wakeful.model.api.request import DEFAULT_MODEL
from wakeful.model.journal.entry import EntryKind
from wakeful.store.base import Transaction
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.error_types import ApiProblem
from wakeful.wire.sse import EventStream, until_gone


class ChatCompletionRoutes:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._headers = SessionHeaders(api, Lanes(api))

    def routes(self) -> list[Route]:
        return [Route("/v1/chat/completions", self.create, methods=["POST"])]

    async def create(self, request: Request) -> WithSessionHeader:
        body = await read_api_body(request)
        asked = read_chat_request(body, await self._api.tools(body.get("tool_choice")))
        receipt = await until_entered(lambda: self._begin(request, asked))
        assert receipt.turn is not None
        rest = receipt.turn_id.removeprefix("turn_")
        facts = ChatFacts(f"chatcmpl-{rest}", asked.model or DEFAULT_MODEL, int(receipt.turn.opened_at))
        if asked.is_streamed:
            stream = ChatStream(facts, includes_usage=asked.includes_usage)
            lines = EventStream(self._lines(receipt, stream), self._api.streams)
            return WithSessionHeader(lines, receipt.session_id)
        answer = await self._answer_or_cancel(request, receipt)
        if answer.error is not None:
            problem = ApiProblem(error=answer.error)
            return WithSessionHeader(JsonAnswer(problem, chat_status(answer.error)), receipt.session_id)
        return WithSessionHeader(JsonAnswer(answer.completion(facts)), receipt.session_id)

    async def _begin(self, request: Request, asked: ChatRequest) -> Receipt:
        model = await self._api.require_model(asked.model, status=404)
        lane = await self._headers.lane(request, model)
        model = model_in(lane, asked.model, model)
        if lane.is_kept:
            asked = without_known_messages(in_session(asked), await self._known(lane))
        await require_calls(self._api.store, lane, asked.inputs, "messages")
        submission = self._api.submission(
            lane.session_id, model, asked.inputs, asked.turn, from_checkpoint=lane.from_checkpoint
        )
        return await enter(self._api.engine, lane, submission)

    async def _known(self, lane: ApiLane) -> KnownChat:
        async def body(tx: Transaction) -> KnownChat:
            session = await tx.sessions.get(lane.session_id)
            if session is None or session.head is None:
                return KnownChat()
            journal = await tx.journal.of_turns([session.head])
            before = lane.grows_from(session)
            return KnownChat(
                before is not None,
                "".join(entry.data["text"] for entry in journal if entry.kind is EntryKind.ANSWER),
                "".join(entry.data["text"] for entry in journal if entry.kind is EntryKind.CUT),
                before == session.head,
            )

        return await self._api.store.read(body)

    async def _answer_or_cancel(self, request: Request, receipt: Receipt) -> ChatAnswer:
        """Return the answer, or cancel the turn and raise ClientDisconnect when the client leaves."""
        answering = asyncio.create_task(self._answer(receipt))
        leaving = asyncio.create_task(until_gone(request.receive))
        try:
            await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                await self._api.engine.cancel(receipt.session_id, receipt.turn_id)
                raise ClientDisconnect
            return answering.result()
        finally:
            leaving.cancel()
            answering.cancel()

    async def _answer(self, receipt: Receipt) -> ChatAnswer:
        answer = ChatAnswer()
        async with aclosing(self._api.follow(receipt.session_id, receipt.turn_id)) as pages:
            async for page in pages:
                for item in page:
                    answer.feed(item)
                if ends_turn(page):
                    return answer
        # The log broke off. A partial answer must not look whole, and the client has no way to get the rest.
        await self._api.engine.cancel(receipt.session_id, receipt.turn_id)
        raise EngineStopping("The server is stopping; send the request again.")

    async def _lines(self, receipt: Receipt, stream: ChatStream) -> AsyncGenerator[bytes, None]:
        has_ended = False
        try:
            async with aclosing(self._api.follow(receipt.session_id, receipt.turn_id)) as pages:
                async for page in pages:
                    lines = b"".join(line for item in page for line in stream.feed(item))
                    has_ended = ends_turn(page)
                    # Free the page: the stream may wait long for the next one.
                    del page
                    if lines:
                        yield lines
                    del lines
                    if stream.is_ended:
                        break
            if not stream.is_ended:
                yield stream.break_off()
        finally:
            if not has_ended:
                await self._api.engine.cancel(receipt.session_id, receipt.turn_id)
