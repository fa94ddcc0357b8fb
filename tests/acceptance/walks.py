"""How a walk is run: a program that goes through something in an engine, and is killed at chosen moments.

The program reads one case per line and answers each with the exit code of the process that walked it. That process is a
fork, because importing takes longer than walking.
"""

import asyncio
import logging
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self, TypeVar

import orjson

from tests.acceptance.ledger import Fate, Ledger
from wakeful.model.opening import Opened, Opening
from wakeful.model.store_stats import StoreStats
from wakeful.store.base import Body, Notifier, SharedWords, Store, Transaction
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore

T = TypeVar("T")

_ROOT = Path(__file__).parents[2]
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Case:
    # Where the ledger and, for SQLite, the database are.
    folder: str
    # The address of a PostgreSQL database, or the path of a SQLite file.
    database: str
    # When to die. "before 7" and "after 12" are commits, counted over all processes of the walk.
    deaths: tuple[str, ...]


# Called with the moments of death.
NewCase = Callable[..., Case]


class DyingStore:
    """A store that kills its process right before or right after chosen commits."""

    def __init__(self, inner: Store, ledger: Ledger, fate: Fate) -> None:
        self._inner = inner
        self._ledger = ledger
        self._fate = fate
        self._count = len(ledger.lines("commits"))

    @property
    def notifier(self) -> Notifier:
        return self._inner.notifier

    @property
    def stats(self) -> StoreStats:
        return self._inner.stats

    @property
    def words(self) -> SharedWords | None:
        return self._inner.words

    @property
    def is_exclusive(self) -> bool:
        return self._inner.is_exclusive

    async def open(self) -> None:
        await self._inner.open()

    async def close(self) -> None:
        await self._inner.close()

    async def read(self, body: Body[T]) -> T:
        return await self._inner.read(body)

    async def search(self, body: Body[T]) -> T:
        return await self._inner.search(body)

    async def write_lease(self, body: Body[T]) -> T:
        """Write without counting: when this happens depends on the clock."""
        return await self._inner.write_lease(body)

    async def write(self, body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        if not lock:
            # Writes without a session, such as sweeps, depend on the clock: counting them would spoil the numbers.
            return await self._inner.write(body)
        number = self._next_number()

        async def dying(tx: Transaction) -> T:
            result = await body(tx)
            self._fate.meet(f"before {number}")
            return result

        result = await self._inner.write(dying, lock=lock, patience=patience)
        self._fate.meet(f"after {number}")
        return result

    async def open_new(self, opening: Opening) -> Opened:
        number = self._next_number()
        self._fate.meet(f"before {number}")
        opened = await self._inner.open_new(opening)
        self._fate.meet(f"after {number}")
        return opened

    def _next_number(self) -> int:
        self._count += 1
        self._ledger.add("commits", "")
        return self._count


class Walker:
    """The program that walks, by its module. Only its children die."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def walk(self, case: Case) -> int:
        """Run one process of the walk and return its exit code."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(orjson.dumps(asdict(case)) + b"\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


# Goes through the walk, from wherever the last process of the case came to.
WalkStore = Callable[[DyingStore, Ledger, Fate], Awaitable[None]]


def walk_cases(walk: WalkStore) -> None:
    for line in sys.stdin:
        case = Case(**orjson.loads(line))
        child = os.fork()
        if child == 0:
            _walk_and_exit(case, walk)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _walk_and_exit(case: Case, walk: WalkStore) -> None:
    try:
        asyncio.run(_walk(case, walk))
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


async def _walk(case: Case, walk: WalkStore) -> None:
    ledger = Ledger(Path(case.folder))
    # Nothing in a walk is worth a warning.
    logging.basicConfig(filename=ledger.folder / "warnings", level=logging.WARNING)
    fate = Fate(case.deaths, ledger)
    store = DyingStore(store_at(case.database), ledger, fate)
    async with asyncio.timeout(_SECONDS):
        await store.open()
        await walk(store, ledger, fate)
        await store.close()


def store_at(database: str) -> Store:
    if database.startswith("postgresql:"):
        return PostgresStore(database)
    # A killed process loses nothing that it has given to the kernel.
    return SqliteStore(Path(database), time.time, synchronous="OFF")
