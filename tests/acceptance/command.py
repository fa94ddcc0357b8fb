"""The `wakeful` command as a process with its own home folder."""

import asyncio
import os
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson

from tests.acceptance.http_client import Reply, get
from tests.patience import PATIENCE

_CALL_MAIN = "from wakeful.cli.main import main; main()"
# Reads environments, forks a command for each, and prints the exit codes.
_FORK_FOR_EACH = """
import json, os, sys
import wakeful.cli.ask
from wakeful.cli.main import main

codes = []
for number, environment in enumerate(json.load(sys.stdin)):
    if os.fork() == 0:
        os.environ.update(environment)
        for stream in (1, 2):
            os.dup2(os.open(f"{number}.{stream}", os.O_WRONLY | os.O_CREAT), stream)
        main()
    codes.append(os.waitstatus_to_exitcode(os.wait()[1]))
print(json.dumps(codes))
sys.exit()
"""


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

    def having(self, **settings: str) -> "Command":
        """The same command with more variables in its environment."""
        return replace(self, settings={**self.settings, **settings})

    async def run(self, *arguments: str, stdin: bytes = b"", before: str = "") -> Finished:
        """Run to the end. `before` is Python that the process runs first."""
        process = await self.start(*arguments, before=before)
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate(stdin)
        return Finished(process.returncode, out.decode(), err.decode())

    async def run_each(self, environments: Sequence[Mapping[str, str]], *arguments: str) -> list[Finished]:
        """Run to the end in each environment, in forks of one process: importing takes longer than being refused."""
        forked = await self.run(*arguments, stdin=orjson.dumps(environments), before=_FORK_FOR_EACH)
        assert forked.code == 0, forked.err
        return [
            Finished(code, *((self.folder / f"{number}.{stream}").read_text() for stream in (1, 2)))
            for number, code in enumerate(orjson.loads(forked.out))
        ]

    async def start(self, *arguments: str, before: str = "", stdout: int = PIPE) -> Process:
        how = ["-c", f"{before}\n{_CALL_MAIN}"] if before else ["-m", "wakeful"]
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *how,
            *arguments,
            stdin=PIPE,
            stdout=stdout,
            stderr=PIPE,
            cwd=self.folder,
            env={**_without_settings(), "WAKEFUL_HOME": str(self.home), **self.settings},
            start_new_session=True,
        )

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
