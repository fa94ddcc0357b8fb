"""The SSE response, without a server: frames, and what ends it."""

import asyncio
import gc
import weakref
from collections.abc import AsyncGenerator
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful.errors import StoreUnavailable
from wakeful.wire.sse import BODY_SEND, TRANSPORT, EventStream, StreamSettings, frame, without_line_breaks


class Connection:
    """The receive, send and transport that a server gives to an app."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        # The client has gone, or the response is complete: servers report both alike.
        self.left = asyncio.Event()
        self.takes = asyncio.Event()
        self.takes.set()
        self.unsent = 0

    async def receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        # As uvicorn does: it does not wait for a client that has gone.
        if not self.left.is_set():
            await self.takes.wait()
        self.sent.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.left.set()

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def abort(self) -> None:
        self.unsent = 0
        self.left.set()

    async def run(
        self, frames: AsyncGenerator[bytes, None], settings: StreamSettings | None = None, **scope: Any
    ) -> None:
        scope = {"type": "http", "method": "GET", "extensions": {TRANSPORT: self}} | scope
        async with asyncio.timeout(5):
            await EventStream(frames, settings or StreamSettings())(scope, self.receive, self.send)

    @property
    def body(self) -> bytes:
        return b"".join(message["body"] for message in self.sent[1:])


async def empty() -> AsyncGenerator[bytes, None]:
    for nothing in list[bytes]():
        yield nothing


def test_a_frame_has_a_number_a_name_and_its_data() -> None:
    assert frame("12.1", "token", b'{"text":"a"}') == b'id: 12.1\nevent: token\ndata: {"text":"a"}\n\n'


_TEXTS = st.text(
    st.sampled_from('a\u0085\u2028\u2029\u2014\u00c5\x1c\x0b\n\r\\"') | st.characters(exclude_categories=["Cs"])
)


@given(st.dictionaries(_TEXTS, _TEXTS))
def test_a_frame_has_the_same_lines_for_every_reader_and_the_same_data(data: dict[str, str]) -> None:
    lines = without_line_breaks(frame("1", "token", orjson.dumps(data))).decode().splitlines()

    assert [line.partition(": ")[0] for line in lines] == ["id", "event", "data", ""]
    assert orjson.loads(lines[2].removeprefix("data: ")) == data


async def test_letters_that_some_readers_take_for_line_breaks_are_escaped() -> None:
    connection = Connection()

    async def one() -> AsyncGenerator[bytes, None]:
        yield 'data: "a\u2028b\u2029c\u0085d\u201ce"\n\n'.encode()

    await connection.run(one())

    assert connection.body.decode() == 'data: "a\\u2028b\\u2029c\\u0085d\u201ce"\n\n'


async def test_a_source_is_closed_even_if_its_reader_left_before_it_began() -> None:
    connection = Connection()
    connection.left.set()
    closed = []

    async def waiting() -> AsyncGenerator[bytes, None]:
        try:
            await asyncio.Event().wait()
            yield b"never"
        finally:
            closed.append(True)

    await connection.run(waiting())

    assert closed == [True]


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


async def test_a_stream_whose_reader_has_left_leaves_nothing_behind() -> None:
    connection = Connection()

    async def waiting() -> AsyncGenerator[bytes, None]:
        yield b"one"
        connection.left.set()
        await asyncio.Event().wait()

    stream = EventStream(waiting(), StreamSettings())
    await stream({"type": "http", "method": "GET"}, connection.receive, connection.send)
    left = weakref.ref(stream)
    del stream
    await asyncio.sleep(0)
    gc.collect()

    assert left() is None, "no timer checks it any more"


async def test_a_reader_that_stops_reading_is_disconnected() -> None:
    connection = Connection()
    closed = []

    async def talking() -> AsyncGenerator[bytes, None]:
        try:
            while True:
                yield b"more"
                connection.takes.clear()
                connection.unsent = 4
        finally:
            closed.append(True)

    await connection.run(talking(), StreamSettings(write_seconds=0.05))

    assert (closed, connection.body) == ([True], b"more")


async def test_a_reader_that_leaves_the_last_bytes_unread_is_disconnected_though_nothing_more_is_sent() -> None:
    connection = Connection()

    async def silent() -> AsyncGenerator[bytes, None]:
        yield b"one"
        connection.unsent = 3
        await asyncio.Event().wait()

    await connection.run(silent(), StreamSettings(write_seconds=0.05, comment_seconds=0.01))

    assert (connection.body, connection.left.is_set()) == (b"one", True)


async def test_what_is_unsent_at_the_end_does_not_wait_for_ever() -> None:
    connection = Connection()

    async def two() -> AsyncGenerator[bytes, None]:
        yield b"one"
        connection.unsent = 3

    await connection.run(two(), StreamSettings(write_seconds=0.05))

    assert connection.unsent == 3
    async with asyncio.timeout(5):
        while connection.unsent:  # noqa: ASYNC110 - until it has been cut off
            await asyncio.sleep(0.01)


async def test_a_reader_that_reads_slowly_is_not_disconnected() -> None:
    connection = Connection()

    async def talking() -> AsyncGenerator[bytes, None]:
        connection.unsent = 40
        for _ in range(40):
            yield b"more"
            # As much is read as is sent, so the unsent bytes stay the same.
            await asyncio.sleep(0.01)
        connection.unsent = 0

    await connection.run(talking(), StreamSettings(write_seconds=0.05))

    assert connection.body == b"more" * 40


@pytest.mark.parametrize("is_shown", [True, False], ids=["a connection that is shown", "one that is not"])
async def test_silence_is_filled_with_comments_however_long_it_lasts(is_shown: bool) -> None:
    connection = Connection()

    async def silent() -> AsyncGenerator[bytes, None]:
        yield b"one"
        while connection.body.count(b":\n\n") < 3:  # noqa: ASYNC110 - until it has been silent long enough
            await asyncio.sleep(0.01)

    await connection.run(
        silent(),
        StreamSettings(comment_seconds=0.02, write_seconds=0.03),
        extensions={TRANSPORT: connection} if is_shown else {},
    )

    assert connection.body.startswith(b"one:\n\n:\n\n:\n\n")


async def test_a_client_is_told_after_how_much_silence_its_connection_is_lost() -> None:
    connection = Connection()

    await connection.run(empty(), StreamSettings(comment_seconds=2.5))

    head = dict(connection.sent[0]["headers"])
    assert connection.sent[0]["status"] == 200
    assert head[b"wakeful-heartbeat"] == b"2.5"
    assert head[b"content-type"].startswith(b"text/event-stream")
    assert (head[b"cache-control"], head[b"x-accel-buffering"]) == (b"no-cache", b"no")


async def test_a_head_request_gets_the_head_alone_and_its_source_is_closed() -> None:
    connection = Connection()

    async def one() -> AsyncGenerator[bytes, None]:
        yield b"one"

    source = one()
    await connection.run(source, method="HEAD")

    assert [message["type"] for message in connection.sent] == ["http.response.start", "http.response.body"]
    assert connection.body == b""
    assert await anext(source, b"closed") == b"closed"


async def test_the_body_goes_past_what_changes_only_heads() -> None:
    connection, passed = Connection(), list[Any]()

    async def send(message: Any) -> None:
        passed.append(message)
        await connection.send(message)

    await connection.run(empty(), extensions={BODY_SEND: send})

    assert passed == connection.sent[1:]
    assert passed[-1] == {"type": "http.response.body", "body": b""}


async def test_a_store_that_fails_ends_the_response() -> None:
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
