"""Many readers at once: one that reads nothing is dropped, and idle ones cost little."""

import asyncio
import re
import socket
from pathlib import Path

import aiohttp
import orjson
import pytest

from tests.api.conftest import scripted
from tests.api.reader import Reader, all_have_seen, check_whole, many_connections
from tests.api.server import ApiServer, ModelEndpoint, running, running_server, script
from tests.api.test_kill import final_of
from tests.api.test_stopping import begun, stalled

_LONG = "x" * 3_000_000
_TOKENS = 40
# The limit in KB per stream: 60 MB for 2,000.
_MOST = 60 * 1024 / 2000


@pytest.mark.parametrize("hang_after", [None, 1], ids=["of a finished response", "of one that says nothing more"])
async def test_a_reader_that_reads_nothing_is_dropped_and_no_other_notices(
    tmp_path: Path, endpoint: ModelEndpoint, hang_after: int | None
) -> None:
    settings = scripted(endpoint) | {"WAKEFUL_STREAM_WRITE_SECONDS": "0.5"}
    with running_server(tmp_path / "home", **settings) as server:
        long = begun(server, script(text=_LONG, hang_after=hang_after))
        async with many_connections() as http, asyncio.timeout(60):
            others = [Reader(script(tokens=_TOKENS, rate=40), f"other {number}") for number in range(5)]
            following = [asyncio.create_task(other.follow(http, server)) for other in others]
            await all_have_seen(others, 5)
            with stalled(server, f"/v1/responses/{long}?stream=true") as reader:
                # Wait for the first byte.
                await asyncio.to_thread(reader.recv, 1, socket.MSG_PEEK)
                while await streams_of(http, server) > sum(not other.done() for other in following):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
                assert received_by(reader) < len(_LONG)
            await asyncio.gather(*following)
            for other in others:
                words = "".join(f"token{number} " for number in range(_TOKENS))
                check_whole(other, await final_of(http, server, other), words)


def received_by(reader: socket.socket) -> int:
    """Return how many bytes are left to read before the connection is reset."""
    received = 0
    try:
        while piece := reader.recv(1 << 20):
            received += len(piece)
    except ConnectionResetError:
        pass
    return received


async def test_idle_streams_cost_little(tmp_path: Path, endpoint: ModelEndpoint, soak: bool) -> None:
    count = 2000 if soak else 500
    with running(ApiServer(tmp_path / "home", scripted(endpoint), is_cold=True)) as server:
        responses = [begun(server, script(hang_after=2)) for _ in range(4)]
        sessions = [server.send("POST", "/api/session/new", json={}).json()["session_id"] for _ in range(4)]
        followed = [f"/v1/responses/{one}?stream=true" for one in responses]
        followed += [f"/api/session/stream?session_id={one}" for one in sessions]
        async with many_connections() as http, asyncio.timeout(90):
            # The first streams also pay for what the server loads once.
            for reply in await asyncio.gather(*(opened(http, server, path) for path in followed)):
                reply.close()
            await is_streaming(http, server, 0)
            before = memory_of(server)
            replies = [await opened(http, server, followed[number % len(followed)]) for number in range(count)]
            await is_streaming(http, server, count)
            cost = (memory_of(server) - before) / count

            with server.client() as client:
                client.responses.cancel(responses[0])
            assert b"response.cancelled" in await replies[0].read()
            for reply in replies:
                reply.close()
            await is_streaming(http, server, 0)
    assert cost < _MOST


async def opened(http: aiohttp.ClientSession, server: ApiServer, path: str) -> aiohttp.ClientResponse:
    """Open a stream and read its first event."""
    reply = await http.get(server.root + path)
    assert reply.status == 200
    await reply.content.readuntil(b"\n\n")
    return reply


async def is_streaming(http: aiohttp.ClientSession, server: ApiServer, count: int) -> None:
    """Wait until the server has this many streams."""
    while await streams_of(http, server) != count:  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(0.02)


async def streams_of(http: aiohttp.ClientSession, server: ApiServer) -> int:
    async with http.get(f"{server.root}/metrics") as reply:
        found = re.search(r"^wakeful_streams_open (\d+)$", await reply.text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


def memory_of(server: ApiServer) -> float:
    """Return its proportional set size in KB."""
    assert server.process is not None
    lines = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("Pss:"))


@pytest.mark.parametrize("path", ["responses", "chat/completions"])
def test_readers_of_lines_see_whole_frames_whatever_the_words_are(server: ApiServer, path: str) -> None:
    odd = "one\u2028two\u2029three\u0085four"
    asked = {"input": script(text=odd), "messages": [{"role": "user", "content": script(text=odd)}], "stream": True}

    lines = server.send("POST", f"/v1/{path}", json=asked).text.splitlines()

    assert {line.partition(": ")[0] for line in lines} <= {"event", "data", ""}
    said = [orjson.loads(line[6:]) for line in lines if line.startswith("data: {")]
    deltas = [one.get("delta") or one.get("choices", [{}])[0].get("delta", {}).get("content") for one in said]
    assert odd in deltas
