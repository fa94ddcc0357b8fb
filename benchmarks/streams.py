"""What idle open streams cost, and how long an event takes to reach the last of them.

scripts/bench streams [--streams N] [--turns N]
"""

import argparse
import asyncio
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import uvloop

from benchmarks._servers import Server, endpoint, serving

# Opens a turn that sends some text and then never ends.
WORDS = 'script: {"tokens": 20, "hang_after": 10}'


class Reader(asyncio.Protocol):
    """Reads one stream and keeps only the times at which it saw the marks."""

    def __init__(self, request: bytes, opened: bytes, marks: bytes) -> None:
        loop = asyncio.get_running_loop()
        self._request = request
        self._marks = [(opened, loop.create_future()), (marks, loop.create_future())]
        self.is_open, self.got_event = (seen for _, seen in self._marks)
        self._tail = b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        text = self._tail + data
        for mark, seen in self._marks:
            if mark in text and not seen.done():
                seen.set_result(time.perf_counter())
        self._tail = text[-64:]

    def connection_lost(self, exc: Exception | None) -> None:
        for _, seen in self._marks:
            seen.cancel()

    def close(self) -> None:
        self._transport.abort()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--turns", type=int, default=10)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wakeful-bench-"))
    try:
        for name, kind in (("GET /v1/responses/…?stream=true", Responses), ("GET /api/session/stream", Sessions)):
            with endpoint(20, 0) as upstream, serving(folder / kind.__name__, upstream) as server:
                print(f"{name}: {await measure(kind(server), options.streams, options.turns)}", flush=True)
    finally:
        shutil.rmtree(folder)


async def measure(kind: "Responses | Sessions", count: int, turns: int) -> str:
    server = kind.server
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {server.key}"}) as client:
        followed = [await kind.begin(client) for _ in range(turns)]
        # Warm up: the first stream's imports and caches are not a cost of each stream.
        for reader in await opened(kind, followed, turns):
            reader.close()
        await asyncio.sleep(1)
        before, cpu = server.memory(), server.cpu_seconds()
        readers = await opened(kind, followed, count)
        await asyncio.sleep(1)
        grown, cpu = server.memory() - before, server.cpu_seconds() - cpu
        began = time.perf_counter()
        await asyncio.gather(*(kind.stir(client, one) for one in followed))
        seen = await asyncio.gather(*(reader.got_event for reader in readers))
        for reader in readers:
            reader.close()
    return (
        f"{count} streams of {turns} turns cost {grown:.1f} MB ({grown * 1024 / count:.1f} KB each), "
        f"opening them {cpu / count * 1e6:.0f} µs CPU each; "
        f"an event in each turn reached the last of them after {(max(seen) - began) * 1000:.0f} ms"
    )


async def opened(kind: "Responses | Sessions", followed: list[str], count: int) -> list[Reader]:
    host, _, port = kind.server.url.removeprefix("http://").rpartition(":")
    loop = asyncio.get_running_loop()
    readers: list[Reader] = []
    for number in range(count):
        head = f"GET {kind.path(followed[number % len(followed)])} HTTP/1.1\r\nhost: {host}\r\n"
        request = f"{head}authorization: Bearer {kind.server.key}\r\n\r\n".encode()
        _, reader = await loop.create_connection(partial(Reader, request, *kind.marks), host, int(port))
        readers.append(reader)
    await asyncio.gather(*(reader.is_open for reader in readers))
    return readers


class Responses:
    marks = (b"token9 ", b"response.cancelled")

    def __init__(self, server: Server) -> None:
        self.server = server

    async def begin(self, client: aiohttp.ClientSession) -> str:
        body = {"input": WORDS, "background": True}
        async with client.post(f"{self.server.url}/v1/responses", json=body) as reply:
            response_id: str = (await reply.json())["id"]
            return response_id

    def path(self, response_id: str) -> str:
        return f"/v1/responses/{response_id}?stream=true"

    async def stir(self, client: aiohttp.ClientSession, response_id: str) -> None:
        async with client.post(f"{self.server.url}/v1/responses/{response_id}/cancel") as reply:
            reply.raise_for_status()


class Sessions:
    marks = (b"event: initial", b"session-updated")

    def __init__(self, server: Server) -> None:
        self.server = server

    async def begin(self, client: aiohttp.ClientSession) -> str:
        async with client.post(f"{self.server.url}/api/session/new", json={}) as reply:
            session_id: str = (await reply.json())["session_id"]
        said = {"session_id": session_id, "message": WORDS}
        async with client.post(f"{self.server.url}/api/chat/start", json=said) as reply:
            reply.raise_for_status()
        return session_id

    def path(self, session_id: str) -> str:
        return f"/api/session/stream?session_id={session_id}"

    async def stir(self, client: aiohttp.ClientSession, session_id: str) -> None:
        changed = {"session_id": session_id, "title": "Changed"}
        async with client.patch(f"{self.server.url}/api/session", json=changed) as reply:
            reply.raise_for_status()


if __name__ == "__main__":
    uvloop.run(main())
