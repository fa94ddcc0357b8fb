"""What the API costs: stored streams through the server, compared with direct calls to the same endpoint.

scripts/bench api [--rounds N] [--peer]

A relay that stores nothing shows how much of that any server between client and model would cost. With --peer the same
client also asks hermes-agent, which is installed into a separate environment (.venv-peer).
"""

import argparse
import asyncio
import shutil
import signal
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import uvloop

from benchmarks._peer import peer_serving
from benchmarks._servers import Target, endpoint, relaying, serving, stored_responses
from tests.postgres_server import PostgresServer

# The replayed log has at least this many separate events.
_LOG = 500


@dataclass(frozen=True)
class Case:
    streams: int
    tokens: int
    # Tokens per second; 0: as fast as the client reads.
    rate: int

    def __str__(self) -> str:
        speed = f"{self.rate}/s" if self.rate else "full speed"
        return f"{self.streams} stream{'s' * (self.streams > 1)} of {self.tokens} tokens at {speed}"


@dataclass(frozen=True)
class Round:
    """The figures of all streams of a case, run once through one target."""

    first_tokens: Sequence[float]
    wall: float
    # CPU seconds of the target.
    cpu: float
    # Text frames that were sent, over all streams.
    frames: int

    @property
    def first(self) -> float:
        return statistics.median(self.first_tokens)

    @property
    def p99(self) -> float:
        return sorted(self.first_tokens)[int(len(self.first_tokens) * 0.99)]


# A direct round, and the round through a target that followed it.
Pair = tuple[Round, Round]


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", action="store_true", help="also measure hermes-agent")
    options = parser.parse_args()
    # An interrupted benchmark must leave no server running.
    job = asyncio.current_task()
    assert job is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, job.cancel)
    folder = Path(tempfile.mkdtemp(prefix="wakeful-bench-"))
    try:
        with PostgresServer(fsync=True) as postgres:
            for case in (Case(1, 500, 0), Case(50, 100, 50), Case(200, 100, 50), Case(500, 100, 50)):
                home = folder / f"case-{case.streams}"
                await report(case, home, postgres.create_schema(), options.rounds, with_peer=options.peer)
        await report_replay(folder / "replay")
    finally:
        shutil.rmtree(folder)


async def report(case: Case, folder: Path, database: str, rounds: int, *, with_peer: bool) -> None:
    with ExitStack() as ending:
        direct = ending.enter_context(endpoint(case.tokens, case.rate))
        targets = [ending.enter_context(relaying(direct))]
        targets.append(stored_responses(ending.enter_context(serving(folder / "sqlite", direct)), "sqlite"))
        on_postgres = ending.enter_context(serving(folder / "postgres", direct, database))
        targets.append(stored_responses(on_postgres, "postgres"))
        if with_peer:
            targets.append(ending.enter_context(peer_serving(folder, direct)))
        measured = [(target, await measure(case, target, direct, rounds)) for target in targets]
        print(f"\n{case}, {rounds} rounds, medians; in brackets: times direct")
        print(f"{'':10}{'first token':>22}{'p99':>22}{'wall':>20}{'CPU a token':>13}{'frames':>8}{'memory':>9}")
        print(line(case, direct, [(one, one) for _, pairs in measured for one, _ in pairs]))
        for target, pairs in measured:
            print(line(case, target, pairs), flush=True)


async def measure(case: Case, target: Target, direct: Target, rounds: int) -> list[Pair]:
    """Run each round directly and then through the target, so other load on the machine affects both."""
    pairs = []
    # Servers close idle connections after 5 s: connections that were idle for nearly that long are not reused.
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=4)
    async with aiohttp.ClientSession(connector=connector) as client:
        for _ in range(rounds + 1):
            alone = await one_round(client, case, direct)
            pairs.append((alone, await one_round(client, case, target)))
    # The first round is cold.
    return pairs[1:]


async def one_round(client: aiohttp.ClientSession, case: Case, target: Target) -> Round:
    cpu = target.process.cpu_seconds()
    started = time.perf_counter()
    read = await asyncio.gather(*(first_token(client, target, started) for _ in range(case.streams)))
    wall = time.perf_counter() - started
    firsts, frames = zip(*read, strict=True)
    return Round(firsts, wall, target.process.cpu_seconds() - cpu, sum(frames))


async def first_token(client: aiohttp.ClientSession, target: Target, started: float) -> tuple[float, int]:
    """Read one stream to its end; return when its first token arrived and the number of text frames."""
    first, frames = 0.0, 0
    async with client.post(target.url, headers=target.headers, json=target.body) as response:
        assert response.status == 200, await response.text()
        async for chunk in response.content.iter_any():
            if not first and target.mark in chunk:
                first = time.perf_counter() - started
            frames += chunk.count(target.mark)
    assert first, f"{target.name} has sent no token"
    return first, frames


def line(case: Case, target: Target, pairs: Sequence[Pair]) -> str:
    first = compared([(one.first, two.first) for one, two in pairs])
    p99 = compared([(one.p99, two.p99) for one, two in pairs])
    wall = compared([(one.wall, two.wall) for one, two in pairs])
    tokens = case.streams * case.tokens
    own = "" if target.is_direct else f"{statistics.median(two.cpu for _, two in pairs) / tokens * 1e6:.0f} µs"
    frames = f"{statistics.median(two.frames for _, two in pairs) / tokens:.2f}"
    memory = "" if target.is_direct else f"{target.process.memory():.0f} MB"
    return f"{target.name:10}{first:>22}{p99:>22}{wall:>20}{own:>13}{frames:>8}{memory:>9}"


def compared(seconds: Sequence[tuple[float, float]]) -> str:
    ratio = statistics.median(ours / alone for alone, ours in seconds)
    return f"{statistics.median(ours for _, ours in seconds) * 1000:.0f} ms ({ratio:.2f} x)"


async def report_replay(folder: Path) -> None:
    """Measure how long a reader waits for a whole log in which every token was committed separately."""
    with endpoint(_LOG + 200, 100) as upstream, serving(folder, upstream) as wakeful:
        server = stored_responses(wakeful)
        async with aiohttp.ClientSession(headers=server.headers) as client:
            async with client.post(server.url, json=server.body) as response:
                live = await response.read()
            address = f"{server.url}/{response_id(live)}?stream=true"
            times = [await read_again(client, address, live) for _ in range(20)]
    tokens = live.count(b"event: response.output_text.delta")
    assert tokens >= _LOG, f"only {tokens} of the tokens were committed on their own: the machine was too busy"
    median, worst = statistics.median(times) * 1000, max(times) * 1000
    print(
        f"\nreplay of {live.count(b'event: ')} events ({tokens} tokens): median {median:.1f} ms, worst {worst:.1f} ms"
    )


async def read_again(client: aiohttp.ClientSession, address: str, live: bytes) -> float:
    before = time.perf_counter()
    async with client.get(address) as response:
        again = await response.read()
    seconds = time.perf_counter() - before
    assert again == live, "a replay is the same as the stream was"
    return seconds


def response_id(stream: bytes) -> str:
    return stream.partition(b'"id":"')[2].partition(b'"')[0].decode()


if __name__ == "__main__":
    uvloop.run(main())
