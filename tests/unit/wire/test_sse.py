"""The SSE response, without a server: frames, and what ends it."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from wakeful.errors import StoreUnavailable
from wakeful.wire.sse import EventStream, StreamSettings, frame


class Connection:
    """What a server gives to an app, from the client's side."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.left = asyncio.Event()
        self.takes = asyncio.Event()
        self.takes.set()

    async def receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        # As uvicorn does: it does not wait for a client that has gone.
        if not self.left.is_set():
            await self.takes.wait()
        self.sent.append(message)

    async def run(self, frames: AsyncGenerator[bytes, None], settings: StreamSettings | None = None) -> None:
        scope = {"type": "http", "method": "GET"}
        async with asyncio.timeout(5):
            await EventStream(frames, settings or StreamSettings())(scope, self.receive, self.send)

    @property
    def body(self) -> bytes:
        return b"".join(message["body"] for message in self.sent[1:])


def test_a_frame_has_a_number_a_name_and_its_data() -> None:
    assert frame("12.1", "token", b'{"text":"a"}') == b'id: 12.1\nevent: token\ndata: {"text":"a"}\n\n'


async def test_a_source_that_ends_ends_the_response() -> None:
    connection = Connection()

    async def two() -> AsyncGenerator[bytes, None]:
        yield b"one"
        yield b"two"

    await connection.run(two())

    assert connection.body == b"onetwo"
    assert connection.sent[-1] == {"type": "http.response.body", "body": b""}


async def test_a_source_that_never_waits_ends_when_its_reader_leaves() -> None:
    connection = Connection()
    closed = []

    async def endless() -> AsyncGenerator[bytes, None]:
        try:
            while True:
                if len(connection.sent) == 100:
                    connection.left.set()
                yield b"more"
        finally:
            closed.append(True)

    await connection.run(endless())

    assert closed == [True]


async def test_a_source_that_waits_for_ever_is_closed_when_its_reader_leaves() -> None:
    connection = Connection()
    closed = []

    async def waiting() -> AsyncGenerator[bytes, None]:
        try:
            yield b"one"
            connection.left.set()
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    await connection.run(waiting())

    assert closed == [True]


async def test_a_reader_that_takes_nothing_is_given_up() -> None:
    connection = Connection()
    closed = []

    async def talking() -> AsyncGenerator[bytes, None]:
        try:
            while True:
                yield b"more"
                connection.takes.clear()
        finally:
            closed.append(True)

    await connection.run(talking(), StreamSettings(write_seconds=0.05))

    assert (closed, connection.body) == ([True], b"more")


async def test_silence_is_filled_with_comments() -> None:
    connection = Connection()

    async def silent() -> AsyncGenerator[bytes, None]:
        yield b"one"
        while connection.body.count(b":\n\n") < 3:  # noqa: ASYNC110 - until it has been silent long enough
            await asyncio.sleep(0.01)

    await connection.run(silent(), StreamSettings(comment_seconds=0.02))

    assert connection.body.startswith(b"one:\n\n:\n\n:\n\n")


async def test_a_store_that_fails_ends_the_response_as_a_cut_would() -> None:
    connection = Connection()

    async def failing() -> AsyncGenerator[bytes, None]:
        yield b"one"
        raise StoreUnavailable

    await connection.run(failing())

    assert connection.body == b"one"


async def test_a_bug_in_a_source_is_not_hidden() -> None:
    async def broken() -> AsyncGenerator[bytes, None]:
        yield b"one"
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        await Connection().run(broken())
