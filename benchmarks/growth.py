"""What a large database costs: the same work in a small and in a large one, as ratios.

scripts/bench growth [--turns SMALL LARGE] [--messages SMALL LARGE] [--store sqlite|postgres]

Each database has a separate process, so its memory is that of the engine alone. The two alternate, one piece of work
each, so other load on the machine affects both.
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
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import uvloop

from benchmarks._grown import COMMON, HERE, MODEL, OWNER, RARE, TalkLoop, grow, open_store, take_turn
from benchmarks._servers import Process
from tests.bare_engine import bare_engine
from tests.postgres_server import PostgresServer
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.settings import EngineSettings
from wakeful.model.approvals.mode import Mode
from wakeful.model.search.search import wanted_in
from wakeful.store.base import Store, Transaction
from wakeful.web.feeds.rows import FoundRow, marks_of, row_fields, with_hits
from wakeful.web.messages.messages import newest_messages

TIMES, STARTS = 25, 5
MEMORY = "memory (MB)"
# The kind of work, and its milliseconds or megabytes.
Figure = tuple[str, float]


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, nargs=2, default=(1_000, 1_000_000), metavar=("SMALL", "LARGE"))
    parser.add_argument("--messages", type=int, nargs=2, default=(50, 5_000), metavar=("SMALL", "LARGE"))
    parser.add_argument("--store", choices=("sqlite", "postgres"))
    parser.add_argument("--measured", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measured:
        await be_measured(*options.measured)
        return
    with tempfile.TemporaryDirectory(prefix="wakeful-bench-") as folder, PostgresServer(fsync=True) as postgres:
        makers: dict[str, Callable[[], str]] = {
            "sqlite": partial(_new_file, Path(folder)),
            "postgres": postgres.create_database,
        }
        for name in [options.store] if options.store else makers:
            sizes = zip(options.turns, options.messages, strict=True)
            small, large = [await grown(name, makers[name](), *size) for size in sizes]
            report(name, await compared(small, large))


def _new_file(folder: Path) -> str:
    return f"sqlite:///{tempfile.mkdtemp(dir=folder)}/wakeful.db"


async def grown(name: str, url: str, turns: int, messages: int) -> "Measured":
    started = time.perf_counter()
    long = await grow(url, turns=turns, messages=messages)
    seconds = time.perf_counter() - started
    print(f"{name}: {turns:,} turns and a session of {messages:,} messages in {seconds:.0f} s", flush=True)
    command = [sys.executable, "-m", "benchmarks.growth", "--measured", url, long]
    pipe = subprocess.PIPE
    return Measured(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe))


@dataclass(frozen=True)
class Measured:
    """The process that works on one of the databases."""

    process: asyncio.subprocess.Process

    async def do_next(self) -> Figure | None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"\n")
        line = await self.process.stdout.readline()
        return (*json.loads(line),) if line else None


async def compared(small: Measured, large: Measured) -> dict[str, tuple[list[float], list[float]]]:
    """Return the figures of the same work in both, without the first of each kind if there are several."""
    found = defaultdict[str, tuple[list[float], list[float]]](lambda: ([], []))
    while (before := await small.do_next()) and (after := await large.do_next()):
        found[before[0]][0].append(before[1])
        found[after[0]][1].append(after[1])
    return found


def report(name: str, figures: dict[str, tuple[list[float], list[float]]]) -> None:
    """Print medians, and the fastest of each: on a busy machine only the fastest show the cost of the work itself."""
    for what, both in figures.items():
        (small, large), (least_small, least_large) = (
            [of(each[1:] or each) for each in both] for of in (statistics.median, min)
        )
        ratios = f"{small:>8.2f} {large:>8.2f} {large / small:6.2f} x"
        fastest = f"{least_small:>8.2f} {least_large:>8.2f} {least_large / least_small:6.2f} x"
        print(f"{name}: {what:<36} {ratios}   fastest {fastest}", flush=True)


async def be_measured(url: str, long: str) -> None:
    """Do one piece of work for each line of the input."""
    async with aclosing(pieces(url, long)) as figures:
        while await asyncio.to_thread(sys.stdin.readline) and (figure := await anext(figures, None)):
            print(json.dumps(figure), flush=True)


async def pieces(url: str, long: str) -> AsyncGenerator[Figure]:
    for _ in range(STARTS):
        store = open_store(url)
        started = time.perf_counter()
        await store.open()
        async with running(store):
            yield "start", (time.perf_counter() - started) * 1e3
        await store.close()
    store = open_store(url)
    await store.open()
    async with running(store) as engine:
        for what, work in works(store, engine, long).items():
            for _ in range(TIMES):
                yield what, await milliseconds(work)
    # Without its background jobs, which would purge too.
    async with running(store, adopts=False) as engine:
        purge = await purging(store, engine)
        for _ in range(TIMES):
            yield "purge of a session", await milliseconds(purge)
    await store.close()
    yield MEMORY, Process(os.getpid()).memory()


async def milliseconds(work: Callable[[], Awaitable[Any]]) -> float:
    started = time.perf_counter()
    await work()
    return (time.perf_counter() - started) * 1e3


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
    found = (await tx.sessions.page(owner, among=hits, limit=51, pinned=False))[:50]
    marks = await marks_of(tx, OWNER, found)
    rows = [FoundRow(**row_fields(session, marks[session.id], Mode.ASK)) for session in found]
    return rows if hits is None else await with_hits(tx, rows, hits, wanted)


async def _snapshot(tx: Transaction, *, session_id: str) -> None:
    """Read what GET /api/session reads."""
    session = await tx.sessions.get(session_id)
    assert session is not None
    now = await tx.now()
    await newest_messages(tx, session.head, 100, None)
    await tx.readers.marks(OWNER, [session_id], now)
    await tx.inbox.pending(session_id)
    await tx.tasks.recent(session_id, ended=100)
    await tx.approvals.open_of(session_id, now)


async def purging(store: Store, engine: Engine) -> Callable[[], Awaitable[None]]:
    """Return a function that purges one listed session after another, all of the same size."""
    found = await store.read(partial(_oldest, count=TIMES))

    async def purge() -> None:
        session_id = found.pop()
        await engine.purger.delete(session_id)
        await engine.purger.sweep()

    return purge


async def _oldest(tx: Transaction, *, count: int) -> list[str]:
    found = await tx.sessions.page(OWNER, limit=500)
    copies = [session.id for session in found if session.title.startswith("Seed")]
    return copies[-count:]


if __name__ == "__main__":
    uvloop.run(main())
