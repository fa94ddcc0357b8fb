"""What durability costs: the engine compared with the same work without it.

scripts/bench engine [--turns N] [--rounds N]
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import aiohttp
import uvloop

from tests.bare_engine import bare_engine
from tests.open_gate import OPEN_GATE
from tests.postgres_server import PostgresServer
from tests.short_results import SHORT_RESULTS
from wakeful.agent.loop import Loop
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.registry import ProviderRegistry, ProviderSettings
from wakeful.agent.settings import AgentSettings
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Submission
from wakeful.engine.settings import EngineSettings
from wakeful.model.event import NOTICE, TOKEN, Event, NewEvent
from wakeful.model.journal.fact import Answered, Brief
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.session import Address
from wakeful.model.turn import Door, Lease
from wakeful.store.base import Store, Transaction
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore

TOKENS, RATE = 100, 50
BENCH = Door("bench", async_delivery=False)
HERE = Address("bench")


@dataclass
class Streams:
    """The figures of several streams: the time to each first token, and the time for all."""

    first_tokens: list[float]
    wall: float

    @property
    def first_token(self) -> float:
        return statistics.median(self.first_tokens)


class QuickLoop:
    """An agent that answers at once, so only the bookkeeping takes time."""

    async def run(self, brief: Brief):  # type: ignore[no-untyped-def]
        yield Answered(brief.last_step + 1, AssistantMessage("done"), Usage(1, 1))


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wakeful-bench-"))
    try:
        with PostgresServer(fsync=True) as postgres, endpoint() as url:
            for name in ("sqlite", "postgres"):
                make = store_maker(name, folder, postgres)
                await report_events(name, make, options.turns)
                await report_bookkeeping(name, make)
                await report_turns(name, make, url, options.turns, options.rounds)
        report_start(folder)
    finally:
        shutil.rmtree(folder)


def store_maker(name: str, folder: Path, postgres: PostgresServer) -> Callable[[], Store]:
    if name == "sqlite":
        return lambda: SqliteStore(Path(tempfile.mkdtemp(dir=folder)) / "wakeful.db", time.time)
    return lambda: PostgresStore(postgres.create_database())


@asynccontextmanager
async def opened(make: Callable[[], Store]) -> AsyncIterator[Store]:
    store = make()
    await store.open()
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def running(store: Store, loop: object) -> AsyncIterator[Engine]:
    engine = bare_engine(store, loop, SystemClock(), EngineSettings())  # type: ignore[arg-type]
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop()


@contextmanager
def endpoint():  # type: ignore[no-untyped-def]
    command = [sys.executable, "-m", "tests.endpoint", "--port", "0", "--tokens", str(TOKENS), "--rate", str(RATE)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


async def report_events(name: str, make: Callable[[], Store], writers: int) -> None:
    """Measure durable facts per second: each writer waits for its own commit before it writes again."""
    events = [NewEvent.of(NOTICE, {"step": 1, "text": "a fact"})] * 5
    async with opened(make) as store, running(store, _Waiting()) as engine:
        leases = [await open_turn(engine) for _ in range(writers)]
        started = time.perf_counter()
        deadline = started + 2.0

        async def write(lease: Lease) -> int:
            written = 0
            while time.perf_counter() < deadline:
                written += len(await store.write(partial(append, lease), lock=[lease.session_id]))
            return written

        async def append(lease: Lease, tx: Transaction) -> list[Event]:
            return await tx.events.append(lease.session_id, lease.turn_id, events)

        total = sum(await asyncio.gather(*map(write, leases)))
        seconds = time.perf_counter() - started
        for lease in leases:
            await engine.cancel(lease.session_id)
    print(f"{name}: {total / seconds:,.0f} durable facts/s ({writers} writers, 5 facts a commit of each)", flush=True)


class _Waiting:
    async def run(self, brief: Brief):  # type: ignore[no-untyped-def]
        await asyncio.Event().wait()
        yield Answered(1, AssistantMessage(""), Usage())


async def open_turn(engine: Engine) -> Lease:
    session = await engine.create_session("bench", HERE, "bench:none", "/")
    receipt = await engine.submit(Submission(session.id, "go", BENCH, HERE, "go", "bench:none"))
    return Lease(receipt.turn_id, session.id, engine.node, 1)


async def report_bookkeeping(name: str, make: Callable[[], Store]) -> None:
    """Measure whole turns one after another, with an agent that answers at once, and bare commits."""
    async with opened(make) as store, running(store, QuickLoop()) as engine:
        session = await engine.create_session("bench", HERE, "bench:none", "/")

        async def turn(number: int) -> None:
            receipt = await engine.submit(Submission(session.id, "go", BENCH, HERE, f"go {number}", "bench:none"))
            async for _ in engine.subscribe_turn(session.id, receipt.turn_id):
                pass

        async def commit(number: int) -> None:
            await store.write(lambda tx: tx.nodes.renew("bench", float(number), host="bench"))

        turns = await median_seconds(turn)
        commits = await median_seconds(commit)
    print(
        f"{name}: a turn's bookkeeping {turns * 1e3:.2f} ms, a bare synced commit {commits * 1e3:.2f} ms"
        f" ({turns / commits:.1f} x)",
        flush=True,
    )


async def median_seconds(work: Callable[[int], Awaitable[None]], times: int = 100) -> float:
    seconds = []
    for number in range(times):
        started = time.perf_counter()
        await work(number)
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


async def report_turns(name: str, make: Callable[[], Store], url: str, turns: int, rounds: int) -> None:
    """Measure many streams at once: directly at the endpoint, and through the engine and the model client."""
    providers = ProviderRegistry(ProviderSettings({"openai": EndpointSettings(base_url=url)}))
    loop = Loop(providers.resolve, [], OPEN_GATE, AgentSettings(), SHORT_RESULTS)
    direct: list[Streams] = []
    ours: list[Streams] = []
    async with opened(make) as store, running(store, loop) as engine, direct_client() as client:
        for number in range(rounds + 1):
            one, two = await call_directly(client, url, turns), await call_through(engine, turns)
            if number:  # The first round opens connections and files; users meet warm ones.
                direct.append(one)
                ours.append(two)
            else:
                print(f"{name}: cold, {compared(one, two)}", flush=True)
    await providers.close()
    for one, two in zip(direct, ours, strict=True):
        print(f"{name}: warm, {compared(one, two)}", flush=True)
    wall = statistics.median(two.wall / one.wall for one, two in zip(direct, ours, strict=True))
    first = statistics.median(two.first_token / one.first_token for one, two in zip(direct, ours, strict=True))
    print(
        f"{name}: {turns} turns at once: wall {wall:.2f} x direct, median first token {first:.1f} x direct", flush=True
    )


def compared(direct: Streams, ours: Streams) -> str:
    return (
        f"direct: first token {direct.first_token * 1e3:.0f} ms, wall {direct.wall:.2f} s; "
        f"ours: first token {ours.first_token * 1e3:.0f} ms, wall {ours.wall:.2f} s"
    )


@asynccontextmanager
async def direct_client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
        yield client


async def call_directly(client: aiohttp.ClientSession, url: str, streams: int) -> Streams:
    async def stream(number: int) -> float:
        started = time.perf_counter()
        first = 0.0
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": f"hello {number}"}]}
        async with client.post(f"{url}/chat/completions", json=body) as response:
            async for chunk in response.content.iter_any():
                if not first and b"content" in chunk:
                    first = time.perf_counter() - started
        return first

    return await all_at_once(stream, streams)


async def call_through(engine: Engine, streams: int) -> Streams:
    sessions = [(await engine.create_session("bench", HERE, "openai:m", "/")).id for _ in range(streams)]

    async def turn(number: int) -> float:
        started = time.perf_counter()
        first = 0.0
        session, text = sessions[number], f"hello {number}"
        receipt = await engine.submit(Submission(session, text, BENCH, HERE, "once", "openai:m"))
        async for page in engine.subscribe_turn(session, receipt.turn_id):
            if not first and any(item.kind == TOKEN for item in page):
                first = time.perf_counter() - started
        assert page[-1].kind == "done", page
        return first

    return await all_at_once(turn, streams)


async def all_at_once(work: Callable[[int], Awaitable[float]], count: int) -> Streams:
    started = time.perf_counter()
    first_tokens = await asyncio.gather(*map(work, range(count)))
    return Streams(list(first_tokens), time.perf_counter() - started)


def report_start(folder: Path) -> None:
    """Measure the time from the command to /health, and the memory of the idle server."""
    starts, sizes = [], []
    for number in range(3):
        home = folder / f"home{number}"
        environment = {**os.environ, "WAKEFUL_HOME": str(home), "WAKEFUL_LOG_LEVEL": "warning"}
        started = time.perf_counter()
        server = subprocess.Popen(
            [sys.executable, "-m", "wakeful", "serve", "--port", "18787"],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_for_health("http://127.0.0.1:18787/health")
            starts.append(time.perf_counter() - started)
            sizes.append(pss(server.pid))
        finally:
            server.terminate()
            server.wait()
    bare = bare_interpreter_seconds()
    print(f"cold start to /health: {statistics.median(starts):.2f} s (a bare interpreter: {bare:.2f} s)")
    print(f"idle memory: {statistics.median(sizes):.0f} MB (PSS)")


def wait_for_health(url: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=1) as response:
                assert json.load(response)["status"] == "ok"
                return
        except OSError:
            time.sleep(0.01)
    raise TimeoutError(url)


def pss(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def bare_interpreter_seconds() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - started


if __name__ == "__main__":
    uvloop.run(main())
