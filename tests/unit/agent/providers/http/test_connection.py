"""One connection, fed with bytes as a network may cut them."""

import asyncio
import errno
import socket
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful.agent.providers.http.connection import ConnectionBroken, HttpConnection, reason_of
from wakeful.agent.providers.http.idle_connections import IdleConnections

_CHUNKED = (
    b"HTTP/1.1 100 Continue\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5;name=value\r\nhello\r\n1 \r\n \r\n005\r\nworld\r\n0\r\nx-trailer: late\r\n\r\n"
)


class Network(asyncio.Transport):
    """What a connection does to its transport."""

    def __init__(self, connection: HttpConnection) -> None:
        super().__init__()
        self._connection = connection
        self.written = b""
        self.is_paused = False
        self.is_aborted = False
        self.unsent = 0
        connection.connection_made(self)

    def write(self, data: Any) -> None:
        self.written += data

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False

    def abort(self) -> None:
        if not self.is_aborted:
            self.is_aborted = True
            self._connection.connection_lost(None)


async def _asked() -> tuple[HttpConnection, Network, "asyncio.Task[tuple[int, dict[str, str]]]"]:
    connection = HttpConnection(5.0)
    network = Network(connection)
    asking = asyncio.create_task(connection.ask(b"POST / HTTP/1.1\r\n\r\n", b"{}"))
    await asyncio.sleep(0)
    return connection, network, asking


async def _read_whole(connection: HttpConnection) -> bytes:
    pieces = []
    while piece := await connection.read():
        pieces.append(piece)
    return b"".join(pieces)


@given(st.lists(st.integers(0, len(_CHUNKED)), max_size=8) | st.just(list(range(len(_CHUNKED)))))
def test_a_response_is_the_same_wherever_its_bytes_are_cut(cuts: list[int]) -> None:
    edges = sorted({0, *cuts, len(_CHUNKED)})

    async def receive() -> None:
        connection, network, asking = await _asked()
        for start, end in pairwise(edges):
            connection.data_received(_CHUNKED[start:end])

        headers = {"content-type": "text/event-stream", "transfer-encoding": "chunked"}
        assert await asking == (200, headers)
        assert await _read_whole(connection) == b"hello world"
        assert (network.written, connection.is_reusable) == (b"POST / HTTP/1.1\r\n\r\n{}", True)

    asyncio.run(receive())


async def test_a_slow_reader_stops_the_sender_and_starts_it_again() -> None:
    connection, network, asking = await _asked()
    connection.data_received(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
    await asking

    paused = []
    for size in (65_536, 1, 65_536):
        connection.data_received(b"a" * size)
        paused.append(network.is_paused)

    assert len(await connection.read()) == 131_073
    assert [*paused, network.is_paused] == [False, True, True, False]


async def test_what_came_before_a_break_is_read_before_it_is_raised() -> None:
    connection, _, asking = await _asked()
    connection.data_received(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello")
    connection.connection_lost(ConnectionResetError(104, "Connection reset by peer"))

    assert (await asking)[0] == 200
    assert await connection.read() == b"hello"
    with pytest.raises(ConnectionBroken, match="Connection reset by peer") as caught:
        await connection.read()
    assert caught.value.is_answered


async def test_a_body_without_a_length_is_broken_by_a_reset() -> None:
    connection, _, asking = await _asked()
    connection.data_received(b"HTTP/1.1 200 OK\r\n\r\nhello")
    connection.connection_lost(ConnectionResetError())
    await asking

    assert await connection.read() == b"hello"
    with pytest.raises(ConnectionBroken):
        await connection.read()


async def test_trailers_without_end_are_given_up() -> None:
    connection, network, asking = await _asked()
    connection.data_received(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n")
    await asking
    assert await connection.read() == b"a"

    for _ in range(100):
        if not network.is_aborted:
            connection.data_received(b"x: %b\r\n" % (b"a" * 1000))

    assert network.is_aborted
    with pytest.raises(ConnectionBroken):
        await connection.read()


async def test_bytes_on_an_idle_connection_close_it() -> None:
    connection, network, asking = await _asked()
    connection.data_received(b"HTTP/1.1 204 No Content\r\n\r\n")
    assert (await asking)[0] == 204
    assert connection.is_reusable

    connection.data_received(b"HTTP/1.1 408 Request Timeout\r\n\r\n")

    assert (network.is_aborted, connection.is_reusable) == (True, False)


async def test_an_upgrade_that_is_only_offered_is_nothing_special() -> None:
    connection, _, asking = await _asked()
    connection.data_received(b"HTTP/1.1 200 OK\r\nupgrade: h2\r\nconnection: upgrade\r\ncontent-length: 2\r\n\r\nok")

    assert (await asking)[0] == 200
    assert await _read_whole(connection) == b"ok"


async def test_a_reader_that_is_slow_itself_does_not_take_the_server_for_silent() -> None:
    connection = HttpConnection(0.02)
    Network(connection)
    asking = asyncio.create_task(connection.ask(b"", b""))
    await asyncio.sleep(0)
    connection.data_received(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello")
    await asking

    await asyncio.sleep(0.06)
    assert await connection.read() == b"hello"

    with pytest.raises(TimeoutError):
        await connection.read()


async def test_a_connection_is_not_used_again_while_a_request_is_still_being_sent() -> None:
    connection, network, asking = await _asked()
    network.unsent = 7
    connection.data_received(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n")
    assert (await asking)[0] == 413

    assert not connection.is_reusable
    network.unsent = 0
    assert connection.is_reusable


async def test_a_connection_that_has_carried_nothing_yet_cannot_be_kept() -> None:
    assert not HttpConnection(5.0).is_reusable


@pytest.mark.parametrize(
    ("headers", "is_kept"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n", True),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n", False),
        (b"HTTP/1.0 200 OK\r\ncontent-length: 0\r\n", False),
    ],
)
async def test_a_server_says_whether_its_connection_is_kept(headers: bytes, is_kept: bool) -> None:
    connection, _, asking = await _asked()
    connection.data_received(headers + b"\r\n")
    await asking

    assert connection.is_reusable == is_kept


async def test_the_first_of_two_headers_counts_and_trailers_do_not() -> None:
    connection, _, asking = await _asked()
    connection.data_received(
        b"HTTP/1.1 200 OK\r\nX-A:  one \r\nx-a: two\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx-b: late\r\n\r\n"
    )

    assert (await asking)[1] == {"x-a": "one", "transfer-encoding": "chunked"}


async def test_a_connection_that_breaks_before_any_answer_says_so() -> None:
    connection, _, asking = await _asked()
    connection.connection_lost(None)

    with pytest.raises(ConnectionBroken, match="it closed the connection") as caught:
        await asking
    assert not caught.value.is_answered
    assert not connection.is_reusable


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "at 10.0.0.1"), "Connection refused"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "Name or service not known"),
        (OSError("no such host"), "no such host"),
        (OSError(), "OSError"),
        (RuntimeError("unusable"), "unusable"),
    ],
)
def test_a_reason_is_in_the_systems_words(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason


async def test_of_several_kept_connections_the_newest_that_still_works_is_used() -> None:
    idle, connections = IdleConnections(), []
    for _ in range(3):
        connection, _, asking = await _asked()
        connection.data_received(b"HTTP/1.1 204 No Content\r\n\r\n")
        await asking
        idle.give(connection)
        connections.append(connection)
    connections[2].close()

    assert [idle.take(), idle.take(), idle.take()] == [connections[1], connections[0], None]


async def test_a_connection_that_comes_back_after_the_end_is_closed() -> None:
    idle = IdleConnections()
    kept, kept_network, asking = await _asked()
    kept.data_received(b"HTTP/1.1 204 No Content\r\n\r\n")
    await asking
    idle.give(kept)
    late, late_network, asking = await _asked()
    late.data_received(b"HTTP/1.1 204 No Content\r\n\r\n")
    await asking

    idle.close()
    idle.give(late)

    assert (kept_network.is_aborted, late_network.is_aborted) == (True, True)
    assert idle.take() is None


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 200 OK\ncontent-length: 2\n\nok",
        b"HTTP/1.1 200 OK\r\nx-a: \x01odd\r\ncontent-length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2  \r\nok\r\n0\r\n\r\n",
    ],
)
async def test_sloppy_servers_are_understood(said: bytes) -> None:
    connection, _, asking = await _asked()
    connection.data_received(said)

    assert (await asking)[0] == 200
    assert await _read_whole(connection) == b"ok"
