"""Opens a SQLite store in a process of its own, for tests that end it, starve it or take its rights away.

python -m tests.store.sqlite_child ACTION PATH
"""

import asyncio
import os
import resource
import sys
import time
from pathlib import Path

from tests.store.nouns import append, have_turn
from wakeful.errors import StoreError
from wakeful.model.event import NewEvent
from wakeful.store.sqlite.store import SqliteStore

_NOBODY = 65534


async def hold(path: Path) -> None:
    """Open, record an event, say so, and stay until killed."""
    store = SqliteStore(path, time.time)
    await store.open()
    lease = await have_turn(store)
    await append(store, lease, [NewEvent("token", b"recorded")])
    _say("open")
    await asyncio.Event().wait()


async def fill(path: Path) -> None:
    """Append until the disk is full, then go on when there is room again. Says how many were recorded."""
    store = SqliteStore(path, time.time)
    await store.open()
    lease = await have_turn(store)
    recorded = 0
    room = max(file.stat().st_size for file in path.parent.iterdir()) + 200_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    try:
        while True:
            await append(store, lease, [NewEvent("token", b"x" * 1000)])
            recorded += 1
    except StoreError as error:
        _say(f"{type(error).__name__}: {error}")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await append(store, lease, [NewEvent("token", b"room again")])
    _say(str(recorded + 1))
    os._exit(0)  # As after a crash: nothing is tidied up.


async def open_as_nobody(path: Path) -> None:
    """Try to open without any rights. Says what went wrong."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    try:
        await SqliteStore(path, time.time).open()
    except StoreError as error:
        _say(f"{type(error).__name__}: {error}")


def _say(line: str) -> None:
    print(line, flush=True)


_ACTIONS = {"hold": hold, "fill": fill, "open_as_nobody": open_as_nobody}

if __name__ == "__main__":
    asyncio.run(_ACTIONS[sys.argv[1]](Path(sys.argv[2])))
