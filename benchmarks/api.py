"""What the API costs: streams through the server against the same endpoint called directly, in the same run.

scripts/bench api [--rounds N]
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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import uvloop

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Streams:
    first_tokens: list[float]
    wall: float

    @property
    def first_token(self) -> float:
        return statistics.median(self.first_tokens)


@dataclass
class Server:
    url: str
    key: str
    pid: int

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS

    def memory(self) -> float:
        lines = Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wakeful-bench-"))
    try:
        for count, tokens, rate in ((1, 500, 0), (50, 100, 50), (200, 100, 50)):
            with endpoint(tokens, rate) as upstream, serving(folder / f"home-{count}", upstream) as server:
                await report(server, upstream, count, tokens, options.rounds)
                if count == 1:
                    await report_replay(server)
    finally:
        shutil.rmtree(folder)


async def report(server: Server, upstream: str, count: int, tokens: int, rounds: int) -> None:
    direct, ours, cpu = [], [], []
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as client:
        for _ in range(rounds + 1):
            direct.append(await streams(client, count, upstream_call(upstream), b'"content"'))
            before = server.cpu_seconds()
            ours.append(await streams(client, count, our_call(server), b"output_text.delta"))
            cpu.append(server.cpu_seconds() - before)
    # The first round is cold, on both sides.
    first = statistics.median(r.first_token for r in ours[1:]) / statistics.median(r.first_token for r in direct[1:])
    wall = statistics.median(r.wall for r in ours[1:]) / statistics.median(r.wall for r in direct[1:])
    print(
        f"{count} streams of {tokens} tokens: wall {wall:.2f} x direct, median first token {first:.1f} x direct "
        f"({statistics.median(r.first_token for r in ours[1:]) * 1000:.0f} ms, wall "
        f"{statistics.median(r.wall for r in ours[1:]):.2f} s), CPU {statistics.median(cpu[1:]):.2f} s, "
        f"memory {server.memory():.0f} MB",
        flush=True,
    )


async def report_replay(server: Server) -> None:
    async with aiohttp.ClientSession() as client:
        address, headers, body = our_call(server)
        async with client.post(address, headers=headers, json=body) as response:
            text = (await response.read()).decode()
        created = json.loads(text.split("data: ", 2)[1].split("\n", 1)[0])["response"]["id"]
        times = []
        for _ in range(20):
            before = time.perf_counter()
            async with client.get(f"{address}/{created}?stream=true", headers=headers) as response:
                await response.read()
            times.append(time.perf_counter() - before)
    events = text.count("event: ")
    print(f"replay of a finished log of {events} events: median {statistics.median(times) * 1000:.1f} ms", flush=True)


Call = tuple[str, dict[str, str], dict[str, object]]


def upstream_call(upstream: str) -> Call:
    body: dict[str, object] = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "go"}]}
    return f"{upstream}/chat/completions", {}, body


def our_call(server: Server) -> Call:
    body: dict[str, object] = {"model": "openai:m", "stream": True, "input": "go"}
    return f"{server.url}/v1/responses", {"Authorization": f"Bearer {server.key}"}, body


async def streams(client: aiohttp.ClientSession, count: int, call: Call, mark: bytes) -> Streams:
    """All at once: the time of each first token, and of the whole."""
    started = time.perf_counter()

    async def one() -> float:
        address, headers, body = call
        first = 0.0
        async with client.post(address, headers=headers, json=body) as response:
            assert response.status == 200, await response.text()
            async for chunk in response.content.iter_any():
                if not first and mark in chunk:
                    first = time.perf_counter() - started
        return first

    firsts = await asyncio.gather(*(one() for _ in range(count)))
    return Streams(list(firsts), time.perf_counter() - started)


@contextmanager
def endpoint(tokens: int, rate: int) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.endpoint", "--port", "0", "--tokens", str(tokens), "--rate", str(rate)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


@contextmanager
def serving(home: Path, upstream: str) -> Iterator[Server]:
    settings = {"WAKEFUL_HOME": str(home), "WAKEFUL_MODEL": "openai:m", "OPENAI_BASE_URL": upstream}
    command = [sys.executable, "-m", "wakeful", "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **settings})
    assert process.stdout is not None
    try:
        url = process.stdout.readline().split()[-1]
        process.stdout.readline()
        yield Server(url, (home / "key").read_text().strip(), process.pid)
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    uvloop.run(main())
