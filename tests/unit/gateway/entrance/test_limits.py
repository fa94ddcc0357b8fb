"""The limits on requests under way: beyond them a request is refused with a 429."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from tests.unit.gateway.asgi import request, well
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.entrance.limits import RequestLimits, Slot, TooManyRequests
from wakeful.gateway.http import http_app

ALICE, BOB = "Bearer key-of-alice", "Bearer key-of-bob"


class Api:
    """Its streams send something, and end when the test says so."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()

    def app(self, limits: RequestLimits) -> ASGIApp:
        keyring = Keyring({"alice": "key-of-alice", "bob": "key-of-bob"})
        routes = [
            Route("/v1/stream", self._stream),
            Route("/v1/quick", self._quick),
            Route("/v1/broken", self._break),
            Route("/v1/runs/1/stop", self._quick, methods=["POST"]),
            Route("/v1/responses", self._join_or_begin, methods=["POST"]),
            Route("/api/quick", self._quick),
        ]
        return http_app(keyring, routes, health=well, limits=limits)

    async def stream(self, app: ASGIApp, key: str) -> "asyncio.Task[int]":
        """A stream that has begun; its result is its status."""

        async def follow() -> int:
            return (await request(app, "/v1/stream", key)).status

        self.begun.clear()
        stream = asyncio.create_task(follow())
        await asyncio.wait_for(self.begun.wait(), 10)
        return stream

    async def _stream(self, request: Request) -> Response:
        async def parts() -> AsyncIterator[bytes]:
            yield b"one"
            self.begun.set()
            await self.may_end.wait()
            yield b"two"

        return StreamingResponse(parts())

    async def _quick(self, request: Request) -> Response:
        return PlainTextResponse("hello")

    async def _join_or_begin(self, request: Request) -> Response:
        if request.headers["idempotency-key"] == "new":
            request.state.slot.take()
        return PlainTextResponse("joined")

    async def _break(self, request: Request) -> Response:
        raise RuntimeError


@pytest.fixture
def api() -> Api:
    return Api()


async def test_beyond_the_limit_of_a_key_its_holder_is_refused(api: Api) -> None:
    app = api.app(RequestLimits(in_all=10, per_key=1))
    stream = await api.stream(app, ALICE)

    refused = await request(app, "/v1/quick", ALICE)
    other = await request(app, "/v1/quick", BOB)

    assert (refused.status, refused.headers["retry-after"]) == (429, "1")
    assert refused.json["error"]["type"] == "rate_limit_error"
    assert refused.json["error"]["code"] == "rate_limit_exceeded"
    assert set(refused.json["error"]) == {"message", "type", "param", "code"}
    assert other.status == 200
    api.may_end.set()
    assert await stream == 200


async def test_beyond_the_limit_of_all_every_holder_is_refused(api: Api) -> None:
    app = api.app(RequestLimits(in_all=2, per_key=2))
    streams = [await api.stream(app, ALICE), await api.stream(app, BOB)]

    assert [(await request(app, "/v1/quick", key)).status for key in (ALICE, BOB)] == [429, 429]

    api.may_end.set()
    assert await asyncio.gather(*streams) == [200, 200]


async def test_a_slot_is_free_again_when_the_answer_is_complete(api: Api) -> None:
    app = api.app(RequestLimits(in_all=1, per_key=1))
    stream = await api.stream(app, ALICE)
    api.may_end.set()
    await stream

    assert (await request(app, "/v1/quick", ALICE)).status == 200


async def test_a_reader_that_went_away_and_a_route_that_broke_free_their_slots_too(api: Api) -> None:
    app = api.app(RequestLimits(in_all=1, per_key=1))
    stream = await api.stream(app, ALICE)
    stream.cancel()
    await asyncio.wait([stream])
    with pytest.raises(RuntimeError):
        await request(app, "/v1/broken", ALICE)

    assert (await request(app, "/v1/quick", ALICE)).status == 200


async def test_health_and_the_web_routes_are_never_refused(api: Api) -> None:
    app = api.app(RequestLimits(in_all=1, per_key=1))
    stream = await api.stream(app, ALICE)

    assert (await request(app, "/health")).status == 200
    assert (await request(app, "/api/quick", ALICE)).status == 200

    api.may_end.set()
    await stream


async def test_a_request_without_a_key_is_a_401_even_when_every_slot_is_taken(api: Api) -> None:
    app = api.app(RequestLimits(in_all=1, per_key=1))
    stream = await api.stream(app, ALICE)

    assert (await request(app, "/v1/quick")).status == 401

    api.may_end.set()
    await stream


async def test_cancel_requests_are_let_in_even_when_every_slot_is_taken(api: Api) -> None:
    app = api.app(RequestLimits(in_all=1, per_key=1))
    stream = await api.stream(app, ALICE)

    assert (await request(app, "/v1/runs/1/stop", ALICE, method="POST")).status == 200

    api.may_end.set()
    await stream


async def test_a_request_with_an_idempotency_key_counts_only_if_it_begins_something(api: Api) -> None:
    app = api.app(RequestLimits(in_all=1, per_key=1))
    stream = await api.stream(app, ALICE)

    async def post(key: str) -> int:
        return (await request(app, "/v1/responses", ALICE, method="POST", headers={"idempotency-key": key})).status

    assert [await post("known"), await post("new")] == [200, 429]

    api.may_end.set()
    await stream
    assert [await post("new"), await post("new")] == [200, 200]


@pytest.mark.parametrize(("path", "method"), [("/v1/quick", "GET"), ("/v1/responses", "GET"), ("/v1/quick", "POST")])
async def test_an_idempotency_key_helps_only_where_it_may_join_a_response(api: Api, path: str, method: str) -> None:
    app = api.app(RequestLimits(in_all=1, per_key=1))
    stream = await api.stream(app, ALICE)

    refused = await request(app, path, ALICE, method=method, headers={"idempotency-key": "known"})

    assert refused.status == 429
    api.may_end.set()
    await stream


def test_a_slot_is_taken_once_and_given_back_once() -> None:
    under_way: Counter[str] = Counter()
    limits = RequestLimits(in_all=1, per_key=1)
    slot, other = Slot(under_way, limits, "alice"), Slot(under_way, limits, "alice")
    slot.take()
    slot.take()
    other.give_back()
    with pytest.raises(TooManyRequests):
        other.take()
    other.give_back()
    assert under_way["alice"] == 1

    slot.give_back()
    slot.give_back()
    assert under_way["alice"] == 0
    other.take()
    assert under_way["alice"] == 1
