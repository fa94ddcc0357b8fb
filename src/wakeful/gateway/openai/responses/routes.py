"""The routes of responses. A response is a turn, whatever its stream, store and background are."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Annotated, Any

import orjson
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.engine.inbox.submission import Receipt
from wakeful.gateway.openai.api import Api, ends_turn, read_api_body, response_id, turn_id_of
from wakeful.gateway.openai.errors import NO_RETRY, ApiError
from wakeful.gateway.openai.frames import DONE
from wakeful.gateway.openai.items.objects import ShownItem
from wakeful.gateway.openai.items.page import item_page
from wakeful.gateway.openai.items.recorded_inputs import input_items
from wakeful.gateway.openai.items.references import References
from wakeful.gateway.openai.lanes.answered_calls import require_calls
from wakeful.gateway.openai.lanes.entry import enter, in_lane, require_idle, until_entered
from wakeful.gateway.openai.lanes.key_gate import KeyGate
from wakeful.gateway.openai.lanes.lane import Lanes
from wakeful.gateway.openai.responses.projection import ResponseProjection
from wakeful.gateway.openai.responses.request import ResponseRequest, read_response_request
from wakeful.gateway.openai.responses.response import DeletedResponse, ResponseObject
from wakeful.gateway.openai.responses.turn_response import in_conversation, response_of
from wakeful.gateway.openai.responses.unstored import UnstoredResponses
from wakeful.model.api.conversation import IdempotencyKey
from wakeful.model.api.request import request_as_far_as_known
from wakeful.model.event import StreamItem
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Incoming, says, words
from wakeful.wire.reading import read_texts
from wakeful.wire.sse import EventStream


class ResponseHeaders(Incoming, rename={"idempotency_key": "Idempotency-Key"}):
    idempotency_key: Annotated[
        str,
        Meta(max_length=255),
        words(
            "Requests with the same key and body get the same response. The same key with another body is 409; a key "
            "with `store: false` is 400."
        ),
        says("{} must have at most 255 characters."),
    ] = ""


class ResponseQuery(Incoming):
    stream: Annotated[bool, words("Return its events from the first, live to the end.")] = False
    starting_after: Annotated[
        int,
        Meta(ge=0, le=10**15 - 1),
        words("Only the events after the one with this number."),
        says("{} must be the number of an event."),
    ] = -1


@dataclass(frozen=True, slots=True)
class _Stored:
    """A stored response as it was when it was read."""

    turn: Turn
    # Whether an earlier request with the same idempotency key made it.
    is_repeated: bool = False

    def projection(self) -> ResponseProjection:
        return response_of(self.turn)


class ResponseRoutes:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._lanes = Lanes(api)
        self._references = References(api)
        self._unstored = UnstoredResponses(api, self._lanes)
        self._gate = KeyGate()

    def routes(self) -> list[Route]:
        return [
            Route("/v1/responses", self.create, methods=["POST"]),
            Route("/v1/responses/{response_id}", self.show, methods=["GET"]),
            Route("/v1/responses/{response_id}", self.delete, methods=["DELETE"]),
            Route("/v1/responses/{response_id}/cancel", self.cancel, methods=["POST"]),
            Route("/v1/responses/{response_id}/input_items", self.input_items, methods=["GET"]),
        ]

    async def create(self, request: Request) -> Response | EventStream:
        body = await read_api_body(request)
        asked = read_response_request(body, await self._api.tools(body.get("tool_choice")))
        key = _idempotency_key(request, asked)
        if not asked.is_stored:
            return await self._unstored.create(request, asked)
        fingerprint = _fingerprint(body)
        stored = await self._known(request, key, fingerprint) or await self._enter(request, asked, key, fingerprint)
        if asked.is_streamed:
            has_joined = stored.is_repeated and not stored.turn.status.is_final and _takes_snapshots(request)
            return self._stream(stored, starting_after=-1, has_joined=has_joined)
        if asked.is_background:
            return JsonAnswer(await self._object(stored))
        return JsonAnswer(await self._final_object(stored, key))

    async def show(self, request: Request) -> Response | EventStream:
        stored = await self._require(request, turn_id_of(request.path_params["response_id"]))
        asked = read_texts(ResponseQuery, request.query_params)
        if not asked.stream:
            return JsonAnswer(await self._object(stored))
        return self._stream(stored, starting_after=asked.starting_after)

    async def delete(self, request: Request) -> Response:
        stored = await self._require(request, turn_id_of(request.path_params["response_id"]))
        await self._stop(stored)

        async def body(tx: Transaction) -> None:
            await tx.turns.hide(stored.turn.id)

        await self._api.store.write(body, lock=[stored.turn.session_id])
        return JsonAnswer(DeletedResponse(id=response_id(stored.turn.id)))

    async def cancel(self, request: Request) -> Response:
        stored = await self._require(request, turn_id_of(request.path_params["response_id"]))
        await self._stop(stored)
        return JsonAnswer(await self._object(await self._require(request, stored.turn.id)))

    async def input_items(self, request: Request) -> Response:
        stored = await self._require(request, turn_id_of(request.path_params["response_id"]))

        async def body(tx: Transaction) -> list[ShownItem]:
            return await input_items(tx, stored.turn.id)

        return JsonAnswer(item_page(request, await self._api.store.read(body)))

    async def _known(self, request: Request, key: str, fingerprint: str) -> _Stored | None:
        """Return the response that has this key. This comes before all other checks: a retry gets its response even if
        what the request names is gone.
        """
        if not key:
            return None

        async def body(tx: Transaction) -> Receipt | None:
            known = await tx.idempotency_keys.find(request.state.principal, key)
            return None if known is None else await _receipt(tx, known, fingerprint)

        receipt = await self._api.store.read(body)
        return None if receipt is None else await self._repeated(request, receipt)

    async def _repeated(self, request: Request, receipt: Receipt) -> _Stored:
        return replace(await self._require(request, receipt.turn_id), is_repeated=True)

    async def _enter(self, request: Request, asked: ResponseRequest, key: str, fingerprint: str) -> _Stored:
        if not key:
            return await self._begin(request, asked, key, fingerprint)
        async with self._gate.passing(request.state.principal, key):
            known = await self._known(request, key, fingerprint)
            return known or await self._begin(request, asked, key, fingerprint)

    async def _begin(self, request: Request, asked: ResponseRequest, key: str, fingerprint: str) -> _Stored:
        request.state.slot.take()
        receipt = await until_entered(lambda: self._submit(request, asked, key, fingerprint))
        if receipt.turn is not None:
            return _Stored(receipt.turn)
        # A request on another node used the key first.
        request.state.slot.give_back()
        return await self._repeated(request, receipt)

    async def _submit(self, request: Request, asked: ResponseRequest, key: str, fingerprint: str) -> Receipt:
        model = await self._api.require_model(asked.model, status=400)
        lane = await self._lanes.find(request, model, asked.conversation, asked.previous_response_id)
        inputs = await self._references.resolve(request, asked.inputs)
        await require_calls(self._api.store, lane, inputs, "input")
        submission = self._api.submission(lane.session_id, model, inputs, in_conversation(asked.turn, lane))
        if not key:
            return await enter(self._api.engine, lane, submission)
        owner: str = request.state.principal

        async def before(tx: Transaction) -> Receipt | None:
            mine = IdempotencyKey(owner, key, fingerprint, submission.turn_id, await tx.now())
            known = await tx.idempotency_keys.reserve(mine)
            if known.turn_id != submission.turn_id:
                return await _receipt(tx, known, fingerprint)
            await require_idle(lane, tx)
            return None

        return await self._api.engine.submit(in_lane(submission, lane), before=before)

    async def _require(self, request: Request, turn_id: str) -> _Stored:
        async def body(tx: Transaction) -> _Stored | None:
            found = await self._api.find_turn(tx, request, turn_id)
            if found is None or request_as_far_as_known(found[0].request).kind != "response":
                return None
            return _Stored(found[0])

        stored = await self._api.store.read(body)
        if stored is None:
            raise ApiError(404, "response_not_found", "There is no such response.")
        return stored

    async def _stop(self, stored: _Stored) -> None:
        if not stored.turn.status.is_final:
            await self._api.engine.cancel(stored.turn.session_id, stored.turn.id)

    async def _object(self, stored: _Stored) -> ResponseObject:
        """Return the response in its present state."""
        projection = stored.projection()
        for item in await self._api.engine.stream_so_far(stored.turn.session_id, stored.turn.id):
            projection.feed(item)
        return projection.response()

    async def _final_object(self, stored: _Stored, key: str) -> ResponseObject:
        projection = stored.projection()
        async with aclosing(self._api.follow(stored.turn.session_id, stored.turn.id)) as pages:
            async for page in pages:
                for item in page:
                    projection.feed(item)
                if ends_turn(page):
                    return projection.response()
        # The log broke off. A partial response must not look whole.
        raise _interrupted(response_id(stored.turn.id), key)

    def _stream(self, stored: _Stored, *, starting_after: int, has_joined: bool = False) -> EventStream:
        frames = self._frames(stored, starting_after, has_joined=has_joined)
        return EventStream(frames, self._api.streams)

    async def _frames(self, stored: _Stored, starting_after: int, *, has_joined: bool) -> AsyncGenerator[bytes, None]:
        """Yield the frames after `starting_after`. The fold begins with the turn, because the numbers do. A client that
        has joined by its key gets a snapshot when the fold has caught up.
        """
        projection = stored.projection()
        has_ended = False
        async with aclosing(self._api.follow(stored.turn.session_id, stored.turn.id)) as pages:
            async for page in pages:
                has_ended = ends_turn(page)
                frames = _frames_of(page, projection, starting_after)
                if not page and has_joined:
                    frames, has_joined = projection.snapshot().wire, False
                # Free the page: the stream may wait long for the next one.
                del page
                if frames:
                    yield frames
                del frames
        if has_ended:
            yield DONE


def _frames_of(page: Sequence[StreamItem], projection: ResponseProjection, starting_after: int) -> bytes:
    """Return the frames of a page in one piece, because each piece passes through every layer of the server."""
    return b"".join(frame.wire for item in page for frame in projection.feed(item) if frame.number > starting_after)


async def _receipt(tx: Transaction, known: IdempotencyKey, fingerprint: str) -> Receipt:
    """Return the receipt of the request that used this key first. Raises ApiError if its body was different."""
    if known.fingerprint != fingerprint:
        message = "This Idempotency-Key was used with another body."
        raise ApiError(409, "idempotency_key_conflict", message, headers=NO_RETRY)
    turn = await tx.turns.get(known.turn_id)
    assert turn is not None
    return Receipt(turn.session_id, turn.id, is_queued=False)


def _interrupted(response: str, key: str) -> ApiError:
    """Return the error for a client that waits while the server stops. It may retry by itself only with a key, which
    finds the same response again.
    """
    advice = "send the same request again" if key else f"GET /v1/responses/{response} shows it"
    message = f"The server is stopping. The response {response} continues after the restart: {advice}."
    headers = {"retry-after": "2", "x-should-retry": "true" if key else "false"}
    return ApiError(503, "stopping", message, headers=headers)


def _idempotency_key(request: Request, asked: ResponseRequest) -> str:
    key = read_texts(ResponseHeaders, request.headers).idempotency_key
    if key and not asked.is_stored:
        raise ApiError(400, "idempotency_requires_store", "An Idempotency-Key needs a stored response.", param="store")
    return key


def _takes_snapshots(request: Request) -> bool:
    """Return False for the official JavaScript client: its stream helper fails on events that OpenAI does not have."""
    return request.headers.get("x-stainless-lang") != "js"


def _fingerprint(body: Any) -> str:
    return sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()
