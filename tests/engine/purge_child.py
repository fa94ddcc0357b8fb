"""Fills a session, deletes it, begins to purge it, and kills itself with SIGKILL after COMMITS commits of the purge.

python -m tests.engine.purge_child PATH COMMITS
"""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

from tests.bare_engine import bare_engine
from tests.engine.kit import LedAgent
from tests.store.nouns import a_row, an_input, have_closed_turn, have_row, some_events
from wakeful.engine.clock import SystemClock
from wakeful.engine.settings import EngineSettings
from wakeful.engine.upkeep import purger
from wakeful.store.base import Store, Transaction
from wakeful.store.sqlite.store import SqliteStore

SESSION = "s1"


async def fill(store: Store) -> None:
    await have_closed_turn(store, "t1", SESSION)
    await have_closed_turn(store, "t2", SESSION, parent="t1")
    await have_row(store, a_row("m1", SESSION))

    async def body(tx: Transaction) -> None:
        await tx.journal.add([an_input("t1", "one"), an_input("t2", "two")])
        await tx.events.append(SESSION, "t1", some_events(8))
        await tx.sessions.delete(SESSION, 1.0)

    await store.write(body, lock=[SESSION])


async def purge(store: Store) -> None:
    """Purge two rows per transaction, so that there are many commits to die between."""
    purger._ROWS = 2
    engine = bare_engine(store, LedAgent(), SystemClock(), EngineSettings())
    await engine.purger.sweep()


async def main(path: Path, commits: int) -> None:
    store = SqliteStore(path, time.time, synchronous="OFF")
    await store.open()
    await fill(store)
    write, left = store.write, commits

    async def counted(body: object, *, lock: object = ()) -> object:
        nonlocal left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return await write(body, lock=lock)  # type: ignore[arg-type]

    store.write = counted  # type: ignore[method-assign, assignment]
    await purge(store)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
