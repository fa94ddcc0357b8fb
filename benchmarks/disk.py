"""What an answer costs the disk: how many syncs it takes, how it arrives with a slow disk, how much space it uses.

scripts/bench disk [--answers N]

strace simulates the slow disk: it delays every sync of the server by 50 ms and counts them.
"""

import argparse
import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from benchmarks._servers import Server, Target, endpoint, first_line, serving, settings_of, started, stored_responses

_TOKENS = 200
_RATE = 50
_SYNC_SECONDS = 0.05
_SYNCS = "fdatasync,fsync"
# Tokens of each answer that fills the database.
_LONG = 500
_ABREAST = 50


@dataclass(frozen=True)
class Arrival:
    """How one answer arrived: its pieces, and the longest pause between two."""

    pieces: int
    longest: float


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--answers", type=int, default=1000)
    options = parser.parse_args()
    if shutil.which("strace") is None:
        sys.exit("This benchmark slows the disk down with strace: install it (on Debian: apt-get install strace).")
    folder = Path(tempfile.mkdtemp(prefix="wakeful-bench-"))
    try:
        await report_slow_disk(folder / "slow")
        await report_size(folder / "size", options.answers)
    finally:
        shutil.rmtree(folder)


async def report_slow_disk(home: Path) -> None:
    trace = home.with_name("syncs")
    with endpoint(_TOKENS, _RATE) as direct, serving_on_slow_disk(home, direct, trace) as server:
        target = stored_responses(server)
        async with aiohttp.ClientSession() as client:
            await read(client, target)
            before = count(trace)
            arrival = await read(client, target)
            syncs = count(trace) - before
    print(
        f"one answer of {_TOKENS} tokens at {_RATE}/s, each sync {_SYNC_SECONDS * 1000:.0f} ms: {syncs} syncs, "
        f"{arrival.pieces} pieces, longest silence {arrival.longest * 1000:.0f} ms",
        flush=True,
    )


async def report_size(home: Path, answers: int) -> None:
    with endpoint(_LONG, 0) as direct, serving(home, direct) as server:
        target = stored_responses(server)
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=_ABREAST)) as client:
            await asyncio.gather(*(read(client, target) for _ in range(answers)))
    # The server has ended, so the write-ahead log is in the database file.
    size = size_of(home)
    print(f"{answers:,} answers of {_LONG} tokens: {size / 1e6:.1f} MB, {size / answers / 1000:.1f} kB each")


async def read(client: aiohttp.ClientSession, target: Target) -> Arrival:
    pieces, longest, last = 0, 0.0, 0.0
    async with client.post(target.url, headers=target.headers, json=target.body) as response:
        assert response.status == 200, await response.text()
        async for chunk in response.content.iter_any():
            if target.mark in chunk:
                now = time.perf_counter()
                longest = max(longest, now - last) if last else longest
                pieces, last = pieces + 1, now
    return Arrival(pieces, longest)


@contextmanager
def serving_on_slow_disk(home: Path, upstream: Target, trace: Path) -> Iterator[Server]:
    delay = f"inject={_SYNCS}:delay_exit={int(_SYNC_SECONDS * 1_000_000)}"
    # strace runs as a grandchild (-D), so the process that we start and end is the server.
    strace = ["strace", "-D", "-f", "-e", f"trace={_SYNCS}", "-e", delay, "-o", str(trace)]
    with started("wakeful", "serve", "--port", "0", settings=settings_of(home, upstream), under=strace) as process:
        url = first_line(process).split()[-1]
        yield Server(process.pid, url, (home / "key").read_text().strip())


def size_of(home: Path) -> int:
    return sum(file.stat().st_size for file in home.glob("wakeful.db*"))


def count(trace: Path) -> int:
    found = subprocess.run(["grep", "-c", "sync(", trace], capture_output=True, text=True, check=False)
    return int(found.stdout)


if __name__ == "__main__":
    asyncio.run(main())
