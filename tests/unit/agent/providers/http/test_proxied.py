"""Exchanges through a proxy, which is a peer that gets whole addresses."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.unit.agent.providers.http.peer import Line, Peer, serving, whole
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.http.proxied import ProxiedClient
from wakeful.errors import ModelError

_KEY = "sk-very-secret"


@asynccontextmanager
async def client_of(peer: Peer, *, scheme: str = "http", idle_seconds: float = 5.0) -> AsyncIterator[ProxiedClient]:
    url = f"{scheme}://model.invalid/v1"
    client = ProxiedClient(
        url,
        {"authorization": f"Bearer {_KEY}"},
        EndpointErrors(url, secret=_KEY),
        proxy=f"http://127.0.0.1:{peer.port}",
        connect_seconds=5.0,
        idle_seconds=idle_seconds,
    )
    try:
        yield client
    finally:
        await client.close()


async def _answer(client: ProxiedClient, method: str = "POST", body: bytes = b"{}") -> tuple[int, bytes]:
    response = await client.send(method, body)
    try:
        return response.status, await response.read_whole()
    finally:
        response.close()


async def _error_of(script: Callable[[Line], Coroutine[Any, Any, None]], **how: Any) -> ModelError:
    async with serving(script) as peer, client_of(peer, **how) as client, asyncio.timeout(PATIENCE):
        with pytest.raises(ModelError) as caught:
            await _answer(client)
    return caught.value


async def test_a_connection_to_the_proxy_is_kept_and_closed_with_the_client() -> None:
    gone = asyncio.Event()

    async def script(line: Line) -> None:
        while await line.request():
            await line.say(whole(b"hello"))
        gone.set()

    async with serving(script) as peer, asyncio.timeout(PATIENCE):
        async with client_of(peer) as client:
            assert [await _answer(client), await _answer(client, "GET", b"")] == [(200, b"hello")] * 2
            assert peer.connections == 1
        await gone.wait()

    asked, listed = (request.partition(b"\r\n\r\n") for request in peer.requests)
    assert (asked[0].splitlines()[0], asked[2]) == (b"POST http://model.invalid/v1 HTTP/1.1", b"{}")
    assert (listed[0].splitlines()[0], listed[2]) == (b"GET http://model.invalid/v1 HTTP/1.1", b"")


async def test_a_response_that_is_left_early_takes_its_connection_with_it() -> None:
    gone = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        await line.say(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhello")
        await line.until_gone()
        gone.set()

    async with serving(script) as peer, client_of(peer) as client, asyncio.timeout(PATIENCE):
        response = await client.send("POST", b"{}")
        assert await response.read() == b"hello"
        response.close()
        await gone.wait()


async def test_a_redirect_is_not_followed() -> None:
    async def script(line: Line) -> None:
        while await line.request():
            await line.say(b"HTTP/1.1 302 Found\r\nlocation: http://elsewhere.invalid/\r\ncontent-length: 0\r\n\r\n")

    async with serving(script) as peer, client_of(peer) as client:
        assert (await _answer(client))[0] == 302
        assert len(peer.requests) == 1


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello"])
async def test_silence_is_an_error_before_the_answer_and_in_it(said: bytes) -> None:
    async def script(line: Line) -> None:
        await line.request()
        await line.say(said)
        await line.until_gone()

    error = await _error_of(script, idle_seconds=0.05)

    assert (error.code, error.passing) == ("model_timeout", True)
    assert "said nothing for 0.05 s" in str(error)


async def test_an_answer_that_breaks_off_is_an_error() -> None:
    async def script(line: Line) -> None:
        await line.request()
        await line.say(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello")

    error = await _error_of(script)

    assert (error.code, error.passing) == ("model_stream_broken", True)


async def test_a_proxy_that_hangs_up_cannot_be_passed() -> None:
    async def script(line: Line) -> None:
        await line.request()

    error = await _error_of(script)

    assert (error.code, error.passing) == ("model_unavailable", True)


async def test_a_proxy_that_refuses_says_its_status_and_never_the_key() -> None:
    async def script(line: Line) -> None:
        await line.request()
        await line.say(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")

    error = await _error_of(script, scheme="https")

    assert "cannot be reached (the proxy answered 403)" in str(error)
    assert error.__suppress_context__
