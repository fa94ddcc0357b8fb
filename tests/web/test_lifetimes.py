"""Readers that go, stall or stay silent, and a server that stops."""

import asyncio
import socket
import time
from pathlib import Path

import pytest

from tests.web.kit import KEYS, Served, served
from wakeful.store.sqlite.store import SqliteStore
from wakeful.wire.sse import StreamSettings


async def test_a_reader_that_goes_leaves_nothing_behind(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work", "token")
    for _ in range(3):
        async with (
            web.stream("/api/session/stream", session_id=session_id) as one,
            web.stream("/api/chat/stream", stream_id=turn_id) as two,
        ):
            await one.until("server_turn_started")
            await two.until("token")
            assert web.followers() == 2

        await web.wait_for_no_followers()

    web.agent.order(turn_id, "finish")
    await web.finished(turn_id)
    await web.wait_for_no_followers()
    assert not web.engine._broadcaster._followed.all()


async def test_a_silent_stream_sends_comments(store: SqliteStore, tmp_path: Path) -> None:
    async with served(store, tmp_path, streams=StreamSettings(comment_seconds=0.05)) as web:
        session_id = await web.new_session()
        async with web.stream("/api/session/stream", session_id=session_id) as reader:
            await reader.next()
            speaking = asyncio.create_task(reader.next())
            async with asyncio.timeout(5):
                while reader.comments < 3:  # noqa: ASYNC110 - the reader has no event for it
                    await asyncio.sleep(0.01)
            await web.patch("/api/session", {"session_id": session_id, "title": "New"})
            frame = await speaking

    assert frame is not None
    assert frame.event == "session-updated"


@pytest.mark.parametrize(
    "route", ["chat/stream?stream_id={turn}", "session/stream?session_id={session}&after=0&turns=inline"]
)
async def test_a_reader_that_takes_nothing_is_dropped_and_can_go_on_later(
    store: SqliteStore, tmp_path: Path, route: str
) -> None:
    async with served(store, tmp_path, streams=StreamSettings(write_seconds=0.3)) as web:
        session_id = await web.new_session()
        # More than the buffers of the two sockets and of the server hold.
        turn_id = await web.say(session_id, "x" * 4_000_000, "finish")
        await web.finished(turn_id)
        with stalled(web, "/api/" + route.format(turn=turn_id, session=session_id)) as reader:
            async with asyncio.timeout(5):
                while web.followers() == 0:  # noqa: ASYNC110 - the server has no event for it
                    await asyncio.sleep(0.001)
            await web.wait_for_no_followers()
            # The connection is cut: the reader cannot take the rest later.
            received = sum(iter(lambda: len(reader.recv(1 << 20)), 0))
            assert 0 < received < 4_000_000

        assert [frame.event for frame in await web.finished(turn_id)][-1] == "done"


async def test_a_slow_reader_is_not_dropped(store: SqliteStore, tmp_path: Path) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    # Small buffers: the server soon waits for the reader.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
    async with served(store, tmp_path, streams=StreamSettings(write_seconds=0.1), listener=listener) as web:
        session_id = await web.new_session()
        turn_id = await web.say(session_id, "x" * 400_000, "finish")
        await web.finished(turn_id)
        received = b""
        with stalled(web, f"/api/chat/stream?stream_id={turn_id}") as reader:
            while not received.endswith(b"0\r\n\r\n"):
                piece = await asyncio.to_thread(reader.recv, 8_000)
                assert piece, "it was dropped"
                received += piece
                await asyncio.sleep(0.01)

    assert b"event: done" in received


async def test_streams_end_when_the_engine_stops(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work", "token")
    async with (
        web.stream("/api/session/stream", session_id=session_id) as one,
        web.stream("/api/stream", sessions=session_id) as two,
        web.stream("/api/chat/stream", stream_id=turn_id) as three,
    ):
        await asyncio.gather(one.next(), two.next(), three.until("token"))
        began = time.monotonic()
        await web.engine.stop()
        rests = await asyncio.gather(one.rest(), two.rest(), three.rest())

    assert time.monotonic() - began < 5
    assert all(frame.event != "done" for rest in rests for frame in rest)


def stalled(web: Served, path: str) -> socket.socket:
    """Open a stream without reading from it."""
    port = int(web.url.rpartition(":")[2])
    reader = socket.socket()
    reader.settimeout(5)
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.connect(("127.0.0.1", port))
    reader.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEYS['ann']}\r\n\r\n".encode())
    return reader
