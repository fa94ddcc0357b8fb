"""What a large database costs: the same work in a small one and in a large one, as ratios.

scripts/bench growth [--turns SMALL LARGE] [--messages SMALL LARGE] [--store sqlite|postgres]

Each database is measured by a process of its own, so that its memory is that of the engine alone.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import uvloop

from benchmarks._grown import COMMON, HERE, MODEL, OWNER, RARE, Size, TalkLoop, grow, open_store, take_turn
from benchmarks._servers import Process
from tests.bare_engine import bare_engine
from tests.postgres_server import PostgresServer
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.settings import EngineSettings
from wakeful.model.search import wanted_in
from wakeful.store.base import Store, Transaction
from wakeful.web.messages import newest_messages
from wakeful.web.rows import FoundRow, session_rows, with_hits

TIMES = 25
Figures = dict[str, float]


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, nargs=2, default=(1_000, 100_000), metavar=("SMALL", "LARGE"))
    parser.add_argument("--messages", type=int, nargs=2, default=(50, 5_000), metavar=("SMALL", "LARGE"))
    parser.add_argument("--store", choices=("sqlite", "postgres"))
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(await measure(*options.measure)))
        return
    small, large = (Size(*sizes) for sizes in zip(options.turns, options.messages, strict=True))
    with tempfile.TemporaryDirectory(prefix="wakeful-bench-") as folder, PostgresServer(fsync=True) as postgres:
        makers: dict[str, Callable[[], str]] = {
            "sqlite": partial(_new_file, Path(folder)),
            "postgres": postgres.create_database,
        }
        for name in [options.store] if options.store else makers:
            before, after = [await grown_and_measured(name, makers[name](), size) for size in (small, large)]
            report(name, before, after)


def _new_file(folder: Path) -> str:
    return f"sqlite:///{tempfile.mkdtemp(dir=folder)}/wakeful.db"


async def grown_and_measured(name: str, url: str, size: Size) -> Figures:
    started = time.perf_counter()
    long = await grow(url, size)
    seconds = time.perf_counter() - started
    print(f"{name}: {size.turns:,} turns and a session of {size.messages:,} messages in {seconds:.0f} s", flush=True)
    command = [sys.executable, "-m", "benchmarks.growth", "--measure", url, long]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    told, _ = await process.communicate()
    figures: Figures = json.loads(told)
    return figures


def report(name: str, small: Figures, large: Figures) -> None:
    for what, before in small.items():
        after = large[what]
        print(f"{name}: {what:<38} {before:>9.2f} {after:>9.2f}   {after / before:6.2f} x", flush=True)


async def measure(url: str, long: str) -> Figures:
    """Milliseconds of each piece of work, the first of each kind left out, and megabytes at the end."""
    store = open_store(url)
    started = time.perf_counter()
    await store.open()
    async with running(store) as engine:
        figures = {"start": (time.perf_counter() - started) * 1e3}
        for what, work in works(store, engine, long).items():
            figures[what] = await median_milliseconds(work)
    # Without its background jobs: they would purge, too.
    async with running(store, adopts=False) as engine:
        figures["purge of a session"] = await median_milliseconds(await purging(store, engine))
    await store.close()
    return figures | {"memory (MB)": Process(os.getpid()).memory()}


@asynccontextmanager
async def running(store: Store, *, adopts: bool = True) -> AsyncIterator[Engine]:
    engine = bare_engine(store, TalkLoop(), SystemClock(), EngineSettings(undo_seconds=0.0), adopts=adopts)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop()


def works(store: Store, engine: Engine, long: str) -> dict[str, Callable[[], Awaitable[Any]]]:
    async def turn_in_new_session() -> None:
        session = await engine.create_session(OWNER, HERE, MODEL, "/", "New")
        await take_turn(engine, session.id, "hello")

    return {
        "a turn in a new session": turn_in_new_session,
        "a turn in the long session": partial(take_turn, engine, long, "hello"),
        "list of all sessions": partial(store.read, partial(_list, owner=None)),
        "list of an owner's sessions": partial(store.read, partial(_list, owner=OWNER)),
        "search for a rare word": partial(store.read, partial(_list, owner=OWNER, words=RARE)),
        "search for a word of all sessions": partial(store.read, partial(_list, owner=OWNER, words=COMMON)),
        "snapshot of the long session": partial(store.read, partial(_snapshot, session_id=long)),
    }


async def _list(tx: Transaction, *, owner: str | None, words: str = "") -> list[FoundRow]:
    wanted = wanted_in(words)
    hits = await tx.search.find(owner, wanted, 100) if words else None
    found = await tx.sessions.page(owner, among=hits, limit=51, pinned=False)
    rows = await session_rows(tx, OWNER, found[:50])
    return rows if hits is None else await with_hits(tx, rows, hits, wanted)


async def _snapshot(tx: Transaction, *, session_id: str) -> None:
    """What GET /api/session reads."""
    session = await tx.sessions.get(session_id)
    assert session is not None
    now = await tx.now()
    await newest_messages(tx, session.head, 100, None)
    await tx.readers.marks(OWNER, [session_id], now)
    await tx.inbox.pending(session_id)
    await tx.tasks.recent(session_id, ended=100)
    await tx.approvals.open_of(session_id, now)


async def purging(store: Store, engine: Engine) -> Callable[[], Awaitable[None]]:
    """Of one listed session after another, all of one size."""
    found = await store.read(partial(_oldest, count=TIMES + 1))

    async def purge() -> None:
        session_id = found.pop()
        await engine.purger.delete(session_id)
        await engine.purger.sweep()

    return purge


async def _oldest(tx: Transaction, *, count: int) -> list[str]:
    found = await tx.sessions.page(OWNER, limit=500)
    copies = [session.id for session in found if session.title.startswith("Seed")]
    return copies[-count:]


async def median_milliseconds(work: Callable[[], Awaitable[Any]]) -> float:
    seconds = []
    for _ in range(TIMES + 1):
        started = time.perf_counter()
        await work()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds[1:]) * 1e3


if __name__ == "__main__":
    uvloop.run(main())
