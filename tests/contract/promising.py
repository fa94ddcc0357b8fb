"""A server whose client asks for a promise. Run as a process, it is killed with -9 as soon as the model's call is on
disk, before the tool has run: `python -m tests.contract.promising HOME DOOR MESSAGE`.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from wakeful.app import running_engine
from wakeful.building.engine import ADAPTERS, Running
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.model.event import TOOL
from wakeful.model.session import Address
from wakeful.model.turn import Door
from wakeful.store.base import Signal

MODEL = "demo:wakeful"
# A test may add to them.
SETTINGS: Mapping[str, str] = {}
DOORS: Mapping[str, Door] = {adapter.name: adapter.door() for adapter in ADAPTERS}


@asynccontextmanager
async def server_in(home: Path, *, adopts: bool) -> AsyncIterator[Running]:
    async with running_engine(config_in(home), adopts=adopts) as running:
        yield running


def config_in(home: Path) -> Config:
    config = load_config({"WAKEFUL_HOME": str(home), "WAKEFUL_STOP_GRACE_SECONDS": "0", **SETTINGS})
    return replace(config, providers=replace(config.providers, demo_seconds_per_word=0.0))


async def say(running: Running, home: Path, door: Door, message: str) -> Receipt:
    address = Address(door.name)
    session = await running.engine.create_session("me", address, MODEL, str(home))
    return await running.engine.submit(Submission(session.id, message, door, address, "first", MODEL))


def _die_at_the_call(signal_heard: Signal) -> None:
    if any(event.kind == TOOL for event in signal_heard.events):
        os.kill(os.getpid(), signal.SIGKILL)


async def _main(home: Path, door: str, message: str) -> None:
    async with server_in(home, adopts=False) as running:
        running.store.notifier.listen(_die_at_the_call)
        await say(running, home, DOORS[door], message)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
