"""The `wakeful` command as a process with its own home folder."""

import asyncio
import os
import signal
import sqlite3
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.acceptance.http_client import Reply, get
from tests.patience import PATIENCE
from tests.warm import Order, start_async


@dataclass(frozen=True, slots=True)
class Finished:
    code: int | None
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Command:
    home: Path
    # Where it runs.
    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    # Whether it is started from scratch, as a user does, and not forked.
    is_cold: bool = False

    def having(self, **settings: str) -> "Command":
        """The same command with more variables in its environment."""
        return replace(self, settings={**self.settings, **settings})

    async def run(self, *arguments: str, stdin: bytes = b"", before: str = "") -> Finished:
        """Run to the end. `before` is Python that the process runs first."""
        process = await self.start(*arguments, before=before)
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate(stdin)
        return Finished(process.returncode, out.decode(), err.decode())

    async def start(self, *arguments: str, before: str = "", stdout: int = PIPE) -> Process:
        environment = {**_without_settings(), "WAKEFUL_HOME": str(self.home), **self.settings}
        order = Order(arguments, self.folder, environment, is_leader=True, before=before, is_cold=self.is_cold)
        return await start_async(order, stdin=PIPE, stdout=stdout, stderr=PIPE)

    @asynccontextmanager
    async def serving(self, *arguments: str) -> AsyncIterator["Server"]:
        """A server that answers. It is killed at the end if it still runs."""
        process = await self.start("serve", "--port", "0", *arguments)
        try:
            yield Server(process, await greeting_of(process))
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()


@dataclass(frozen=True, slots=True)
class Server:
    process: Process
    greeting: str

    @property
    def port(self) -> int:
        return int(self.greeting.splitlines()[0].rpartition(":")[2])

    async def get(self, path: str, key: str = "") -> Reply:
        return await get(self.port, path, key)

    async def end(self, how: signal.Signals = signal.SIGTERM) -> Finished:
        self.process.send_signal(how)
        out, err = await self.process.communicate()
        return Finished(self.process.returncode, self.greeting + out.decode(), err.decode())


async def read_until(stream: asyncio.StreamReader | None, words: str) -> str:
    """Return the output of a process up to this text."""
    assert stream is not None
    async with asyncio.timeout(PATIENCE):
        return (await stream.readuntil(words.encode())).decode()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Poll for a condition that sends no event."""
    async with asyncio.timeout(PATIENCE):
        while not await condition():  # noqa: ASYNC110 - another process changes it
            await asyncio.sleep(0.02)


def turn_statuses(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "wakeful.db")) as connection:
        return [status for (status,) in connection.execute("SELECT status FROM turns")]


def leaves_nothing_running(process: Process) -> bool:
    """Return whether the group of the process, which was started as its leader, is empty."""
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return True
    return False


async def greeting_of(process: Process) -> str:
    try:
        return await read_until(process.stdout, "opens the page.\n")
    except asyncio.IncompleteReadError as error:
        _, err = await process.communicate()
        raise AssertionError(f"the server did not start: {error.partial.decode()}{err.decode()}") from None


def _without_settings() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("WAKEFUL_", "OPENAI_", "ANTHROPIC_"))
    }
