"""How much a client may send before it is authenticated, and how long it may take."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import orjson
import pytest

from tests.patience import PATIENCE
from tests.web.kit import KEYS, Served
from wakeful.cli.server import http_protocol
from wakeful.wire import body_room

_HEAD = f"GET /api/me HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {KEYS['ann']}\r\n"


class Line:
    """A connection on which a test writes raw bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, words: str) -> None:
        self._writer.write(words.encode())
        await self._writer.drain()

    async def answer(self) -> tuple[int, dict[str, object]]:
        """Read an answer that has a Content-Length."""
        async with asyncio.timeout(PATIENCE):
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            return int(head.split()[1]), orjson.loads(await self._reader.readexactly(length))

    async def until(self, words: str) -> None:
        async with asyncio.timeout(PATIENCE):
            await self._reader.readuntil(words.encode())

    async def is_cut(self) -> bool:
        """Read to the end of the connection, and return whether nothing more came."""
        async with asyncio.timeout(PATIENCE):
            try:
                return await self._reader.read() == b""
            except ConnectionError:
                return True


@asynccontextmanager
async def line_to(web: Served) -> AsyncIterator[Line]:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(web.url.rpartition(":")[2]))
    try:
        yield Line(reader, writer)
    finally:
        writer.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the timeouts of the server."""
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(http_protocol, "BODY_SILENCE_SECONDS", 0.2)


@pytest.mark.parametrize(
    ("request_line", "status", "code"),
    [
        (f"GET /api/me?{'a' * 33_000} HTTP/1.1\r\n\r\n", 414, "url_too_long"),
        (f"GET /{'a' * 200_000}", 414, "url_too_long"),
        (f"{_HEAD}x: {'a' * 33_000}\r\n\r\n", 431, "headers_too_large"),
        (f"{_HEAD}x: {'a' * 600_000}", 431, "headers_too_large"),
        (_HEAD + "a: b\r\n" * 127 + "\r\n", 431, "headers_too_large"),
        ("nonsense\r\n\r\n", 400, "invalid_http"),
    ],
    ids=["long url", "endless url", "long header", "endless header", "many headers", "no http"],
)
async def test_what_is_too_long_is_refused_with_a_sentence(
    web: Served, request_line: str, status: int, code: str
) -> None:
    async with line_to(web) as line:
        await line.send(request_line)

        found, body = await line.answer()

        assert (found, body["error"]["code"]) == (status, code)  # type: ignore[index]
        assert await line.is_cut()


async def test_the_longest_url_of_the_page_is_accepted(web: Served) -> None:
    async with line_to(web) as line:
        await line.send(_HEAD.replace("/api/me", f"/api/me?{'a' * 32_000}") + f"last-event-id: {'b' * 30_000}\r\n\r\n")

        assert (await line.answer())[0] == 200


@pytest.mark.usefixtures("hurried")
async def test_headers_that_do_not_come_in_time_end_the_connection(web: Served) -> None:
    async with line_to(web) as line:
        await line.send("GET /api/me HTTP/1.1\r\nhost: loc")

        assert (await line.answer())[0] == 408
        assert await line.is_cut()


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("words", ["", "\r\n"])
async def test_a_connection_without_a_request_is_closed_silently(web: Served, words: str) -> None:
    async with line_to(web) as line:
        await line.send(words)

        assert await line.is_cut()


@pytest.mark.usefixtures("hurried")
async def test_the_headers_of_a_later_request_must_come_in_time_too(web: Served) -> None:
    async with line_to(web) as line:
        await line.send(f"{_HEAD}\r\n")
        assert (await line.answer())[0] == 200
        await line.send("GET /api/me HT")

        assert (await line.answer())[0] == 408


@pytest.mark.usefixtures("hurried")
async def test_a_body_that_stops_coming_ends_the_connection(web: Served) -> None:
    async with line_to(web) as line:
        await line.send("POST /api/login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{")

        assert await line.is_cut()


@pytest.mark.usefixtures("hurried")
async def test_a_stream_may_be_silent_for_longer_than_headers_may_take(web: Served) -> None:
    session = await web.new_session()
    async with web.stream("/api/session/stream", session_id=session) as stream:
        await stream.until("initial")
        async with line_to(web) as line:
            assert await line.is_cut()

        await web.say(session, "hello", "finish")
        await stream.until("turn_completed")


@pytest.mark.usefixtures("hurried")
async def test_the_body_of_a_refused_request_is_not_waited_for(web: Served) -> None:
    async with line_to(web) as line:
        await line.send("POST /v1/responses HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10000000\r\n\r\n{")

        assert (await line.answer())[0] == 401
        assert await line.is_cut()


async def test_too_many_pipelined_requests_end_the_connection(web: Served) -> None:
    async with line_to(web) as line:
        await line.send(f"{_HEAD}\r\n".replace("/api/me", "/api/stream?rows=1") + f"{_HEAD}\r\n" * 50)

        assert await line.is_cut()


async def test_a_stream_with_another_request_behind_it_ends_with_its_connection(web: Served) -> None:
    session = await web.new_session()
    async with line_to(web) as line:
        await line.send(_HEAD.replace("/api/me", f"/api/session/stream?session_id={session}") + f"\r\n{_HEAD}\r\n")
        await line.until("event: initial")
        assert web.followers() == 1

    await web.wait_for_no_followers()


async def test_a_body_that_says_it_is_too_large_is_refused_before_it_comes(web: Served) -> None:
    async with line_to(web) as line:
        await line.send(_HEAD.replace("GET /api/me", "POST /api/session/new") + "content-length: 5000000\r\n\r\n{")

        found, body = await line.answer()

        assert (found, body["error"]["code"]) == (413, "body_too_large")  # type: ignore[index]


async def test_large_bodies_beyond_the_room_for_them_are_put_off(web: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_room, "_WAIT_SECONDS", 0.05)
    large = _HEAD.replace("GET /api/me", "POST /api/session/new") + "content-length: 4000000\r\n\r\n{"
    async with AsyncExitStack() as lines:
        for _ in range(34):
            line = await lines.enter_async_context(line_to(web))
            await line.send(large)
        # 34 times 4 MB are more than 128 MiB.
        found, body = await line.answer()
        small = await web.post("/api/session/new", {})

        assert (found, body["error"]["code"]) == (503, "busy")  # type: ignore[index]
        assert small.status == 200
