"""What a connection may send, to the byte, and when it is closed."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import orjson
import pytest
from starlette.types import Receive, Scope, Send

from wakeful.cli.server import http_protocol
from wakeful.cli.server.http_server import serving

_LINE = b"GET / HTTP/1.1\r\n"


class App:
    """Answers /wait when it is let, /refuse without reading, and anything else after the body."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.has_got_some = asyncio.Event()
        self.answered: list[str] = []
        self.left: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        has_more = path != "/refuse"
        while has_more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.left.append(path)
                return
            has_more = message.get("more_body", False)
            self.has_got_some.set()
        if path == "/wait":
            await self.may_answer.wait()
        headers = [(b"content-length", b"4")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"word"})
        self.answered.append(path)


class Line:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def status(self) -> int:
        """Read the answer, and return its status."""
        async with asyncio.timeout(10):
            head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
            length = head.partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await self._reader.readexactly(int(length))
            return int(head.split()[1])

    async def rest(self) -> bytes:
        """Read to the end of the connection."""
        async with asyncio.timeout(10):
            try:
                return await self._reader.read()
            except ConnectionError:
                return b""


@pytest.fixture
async def app() -> App:
    return App()


@pytest.fixture
async def line(app: App) -> AsyncIterator[Line]:
    async with connection(app) as line:
        yield line


@asynccontextmanager
async def connection(app: App) -> AsyncIterator[Line]:
    async def nothing() -> None: ...

    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with serving(app, [listener], before_end=nothing):
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            yield Line(reader, writer)
            writer.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.05)
    monkeypatch.setattr(http_protocol, "BODY_SILENCE_SECONDS", 0.2)


def head(*headers: bytes, path: bytes = b"/") -> bytes:
    return b"GET %b HTTP/1.1\r\n" % path + b"".join(b"%b\r\n" % header for header in headers) + b"\r\n"


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (head(path=b"/" + b"a" * (32 * 1024 - 1)), 200),
        (head(path=b"/" + b"a" * (32 * 1024)), 414),
        (head(b"x: " + b"a" * (32 * 1024 - 1)), 200),
        (head(b"x: " + b"a" * (32 * 1024)), 431),
        (head(*[b"x: y"] * 128), 200),
        (head(*[b"x: y"] * 129), 431),
        (b"nonsense\r\n\r\n", 400),
    ],
    ids=["url", "longer url", "header", "longer header", "headers", "more headers", "no http"],
)
async def test_limits_hold_to_the_byte(line: Line, app: App, request_head: bytes, status: int) -> None:
    line.send(request_head)

    assert await line.status() == status
    if status != 200:
        # Nothing more is read from it.
        assert await line.rest() == b""
        assert app.answered == []


async def test_a_refusal_says_why_and_that_the_connection_ends(line: Line) -> None:
    line.send(b"nonsense\r\n\r\n")

    answer, _, body = (await line.rest()).partition(b"\r\n\r\n")

    error = orjson.loads(body)["error"]
    assert (error["code"], error["message"]) == ("invalid_http", "This is not HTTP as the server understands it.")
    status, *headers = answer.lower().split(b"\r\n")
    assert status == b"http/1.1 400 bad request"
    assert {b"connection: close", b"cache-control: no-store", b"x-content-type-options: nosniff"} <= set(headers)
    assert any(header.startswith(b"date: ") for header in headers)


async def test_each_request_has_the_limits_for_itself(line: Line, app: App) -> None:
    for _ in range(3):
        line.send(head(b"x: " + b"a" * 20_000, *[b"x: y"] * 100))
        assert await line.status() == 200

    assert len(app.answered) == 3


@pytest.mark.usefixtures("hurried")
async def test_a_head_that_takes_too_long_is_refused_with_words(line: Line) -> None:
    line.send(_LINE)

    assert await line.status() == 408
    assert await line.rest() == b""


async def test_a_later_head_that_takes_too_long_is_refused_as_well(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    line.send(head())
    assert await line.status() == 200

    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.05)
    line.send(_LINE)

    assert await line.status() == 408
    assert await line.rest() == b""


async def test_a_head_behind_an_unanswered_request_may_not_take_long_either(
    line: Line, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.send(head(path=b"/wait"))
    await asyncio.wait_for(app.has_got_some.wait(), 10)

    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.05)
    line.send(_LINE)

    # An error would pass for the answer to the first one.
    assert await line.rest() == b""
    app.may_answer.set()


@pytest.mark.usefixtures("hurried")
async def test_a_connection_that_asks_nothing_is_closed_without_words(line: Line) -> None:
    assert await line.rest() == b""


@pytest.mark.usefixtures("hurried")
async def test_an_answer_may_take_longer_than_a_head(line: Line, app: App) -> None:
    line.send(head(path=b"/wait"))
    asyncio.get_running_loop().call_later(0.15, app.may_answer.set)

    assert await line.status() == 200


@pytest.mark.usefixtures("hurried")
async def test_a_body_that_falls_silent_ends_the_connection_and_one_that_comes_slowly_does_not(
    line: Line, app: App
) -> None:
    line.send(b"POST /slow HTTP/1.1\r\ncontent-length: 20\r\n\r\n")
    for _ in range(5):
        line.send(b"abcd")
        await asyncio.sleep(0.05)
    assert await line.status() == 200

    line.send(b"POST /silent HTTP/1.1\r\ncontent-length: 20\r\n\r\nabcd")

    assert await line.rest() == b""
    assert (app.answered, app.left) == (["/slow"], ["/silent"])


@pytest.mark.usefixtures("hurried")
async def test_a_body_that_falls_silent_later_ends_the_connection_as_well(line: Line, app: App) -> None:
    line.send(b"POST /silent HTTP/1.1\r\ncontent-length: 20\r\n\r\nabcd")
    await asyncio.wait_for(app.has_got_some.wait(), 10)

    # Bytes that come before the server first looks whether there were any.
    line.send(b"efgh")

    assert await line.rest() == b""
    assert app.left == ["/silent"]


@pytest.mark.usefixtures("hurried")
async def test_the_rest_of_a_refused_body_is_read_for_a_while_only(line: Line) -> None:
    line.send(b"POST /refuse HTTP/1.1\r\ncontent-length: 20\r\n\r\n")

    assert await line.status() == 200
    assert await line.rest() == b""


@pytest.mark.parametrize(("behind", "is_refused"), [(16, False), (17, True)])
async def test_so_many_requests_may_wait_behind_an_unanswered_one(
    line: Line, app: App, behind: int, is_refused: bool
) -> None:
    line.send(head(path=b"/wait") + head() * behind)

    if is_refused:
        # An error would pass for the answer to the first one.
        assert await line.rest() == b""
        app.may_answer.set()
        return
    app.may_answer.set()
    assert [await line.status() for _ in range(behind + 1)] == [200] * 17


async def test_a_request_with_another_one_behind_it_learns_that_its_client_is_gone(app: App) -> None:
    async with connection(app) as line:
        line.send(b"POST /first HTTP/1.1\r\ncontent-length: 3\r\n\r\nabc" + head())
        assert await line.status() == 200
        line.send(b"POST /body HTTP/1.1\r\ncontent-length: 9\r\n\r\nabc")
        await asyncio.sleep(0.01)

    assert app.left == ["/body"]
