"""What a long session costs: a turn, GET /api/session and a wake-up, in a session of many messages and in a short one.

scripts/bench context [--messages SHORT LONG] [--window TOKENS] [--times N] [--store sqlite|postgres]

Each session has a server of its own, so that memory is that of one session. The two alternate, one piece of work each,
so other load on the machine affects both. The model refuses to read more than its window: the sessions are summed up as
they grow.
"""

import argparse
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import uvloop

from benchmarks._servers import Server, Target, endpoint, serving
from tests.postgres_server import PostgresServer

_TOKENS = 100
_WORDS = "Tell me more about the figures of the day, and leave nothing out. " * 6
_WAKE = {
    "calls": [{"name": "terminal", "arguments": {"command": "true", "background": True, "notify_on_complete": True}}]
}
# Wall time and CPU time of the server, in milliseconds.
Figure = tuple[float, float]


@dataclass(frozen=True)
class Talk:
    """A session on a server of its own."""

    server: Server
    http: aiohttp.ClientSession
    session_id: str

    async def turn(self) -> None:
        await self._follow(await self._say(_WORDS))

    async def snapshot(self) -> None:
        # As many messages as the short one has.
        await self._get("/api/session", session_id=self.session_id, limit="50")

    async def wake(self) -> float:
        """Return the seconds from the end of a process to the end of the turn that it wakes."""
        before = (await self._get("/api/session", session_id=self.session_id))["cursor"]
        query = {"session_id": self.session_id, "after": before}
        async with self.http.get("/api/session/stream", params=query) as frames:
            await self._say(f"script: {orjson.dumps(_WAKE).decode()}")
            ended = 0.0
            async for line in frames.content:
                if line.startswith(b"event: process_complete"):
                    ended = time.perf_counter()
                elif line.startswith(b"event: turn_completed"):
                    completed = time.perf_counter()
                    is_idle = (await self._get("/api/session", session_id=self.session_id))["active"] is None
                    if ended and is_idle:
                        return completed - ended
        raise RuntimeError("The stream broke off.")

    async def messages(self) -> int:
        shown = await self._get("/api/session", session_id=self.session_id)
        count: int = shown["session"]["message_count"]
        return count

    async def _say(self, text: str) -> str:
        body = orjson.dumps({"session_id": self.session_id, "message": text})
        async with self.http.post("/api/chat/start", data=body) as reply:
            stream_id: str = (await reply.json())["stream_id"]
            return stream_id

    async def _follow(self, stream_id: str) -> None:
        async with self.http.get("/api/chat/stream", params={"stream_id": stream_id}) as reply:
            frames = await reply.read()
        assert b"event: done" in frames, frames[-500:]

    async def _get(self, path: str, **query: str) -> Any:
        async with self.http.get(path, params=query) as reply:
            return await reply.json()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, nargs=2, default=(50, 5_000), metavar=("SHORT", "LONG"))
    parser.add_argument("--window", type=int, default=16_000)
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--store", choices=("sqlite", "postgres"))
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="wakeful-bench-") as folder,
        PostgresServer(fsync=True) as postgres,
        endpoint(_TOKENS, 0, options.window) as model,
    ):
        for store in [options.store] if options.store else ("sqlite", "postgres"):
            async with AsyncExitStack() as ending:
                talks = []
                for messages in options.messages:
                    home = Path(folder) / f"{store}-{messages}"
                    database = postgres.create_database() if store == "postgres" else ""
                    talks.append(await ending.enter_async_context(talk_of(home, model, database, messages)))
                await report(store, *talks, times=options.times)


@asynccontextmanager
async def talk_of(home: Path, model: Target, database: str, messages: int) -> AsyncIterator[Talk]:
    """Start a server with a session of this many messages."""
    started = time.perf_counter()
    with serving(home, model, database, WAKEFUL_WAKE_BUDGET_PER_HOUR="1000000") as server:
        headers = {"Authorization": f"Bearer {server.key}"}
        async with aiohttp.ClientSession(server.url, headers=headers) as http:
            async with http.post("/api/session/new", data=b"{}") as reply:
                talk = Talk(server, http, (await reply.json())["session_id"])
            while (count := await talk.messages()) < messages:
                for _ in range(min(100, (messages - count + 1) // 2)):
                    await talk.turn()
            print(f"{count:,} messages in {time.perf_counter() - started:.0f} s", flush=True)
            yield talk


async def report(store: str, short: Talk, long: Talk, *, times: int) -> None:
    works: dict[str, Callable[[Talk], Awaitable[float | None]]] = {
        "a turn": Talk.turn,
        "GET /api/session": Talk.snapshot,
        "the end of a process to the end of its turn": Talk.wake,
    }
    for what, work in works.items():
        found = defaultdict[Talk, list[Figure]](list)
        for _ in range(times):
            for talk in (short, long):
                found[talk].append(await measured(talk, work))
        for number, unit in enumerate(("ms", "ms of CPU")):
            medians = [statistics.median(figure[number] for figure in found[talk]) for talk in (short, long)]
            _print(store, what, unit, *medians)
    _print(store, "memory", "MB", short.server.memory(), long.server.memory())


async def measured(talk: Talk, work: Callable[[Talk], Awaitable[float | None]]) -> Figure:
    cpu, wall = talk.server.cpu_seconds(), time.perf_counter()
    seconds = await work(talk)
    wall = time.perf_counter() - wall if seconds is None else seconds
    return wall * 1e3, (talk.server.cpu_seconds() - cpu) * 1e3


def _print(store: str, what: str, unit: str, short: float, long: float) -> None:
    print(f"{store}: {what:<45} {short:>8.2f} {long:>8.2f} {unit:<10} {long / short:5.2f} x", flush=True)


if __name__ == "__main__":
    uvloop.run(main())
