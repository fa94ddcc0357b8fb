"""Servers that are killed again and again: one with a database file, or two that share a PostgreSQL database."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.acceptance.command import Command, Server, greeting_of
from tests.patience import PATIENCE

# A busy machine lets a node start slowly: with less, the other one takes it for dead.
_LEASE_SECONDS = "3"


@dataclass(slots=True)
class Node:
    """One server, which is a new process after each kill. Its log is kept."""

    command: Command
    log: Path
    server: Server | None = None
    draining: list[asyncio.Task[None]] = field(default_factory=list)

    async def start(self) -> None:
        async with asyncio.timeout(PATIENCE):
            process = await self.command.start("serve", "--port", "0")
            self.server = Server(process, await greeting_of(process))
        self.draining.append(asyncio.create_task(self._drain(self.server)))

    async def kill(self) -> None:
        if self.server is not None:
            self.server.process.kill()
            await self.server.process.wait()
            self.server = None

    async def _drain(self, server: Server) -> None:
        assert server.process.stderr is not None
        with self.log.open("ab") as log:
            log.write(b"--- a new process\n")
            async for line in server.process.stderr:
                log.write(line)


class Servers:
    """Nodes are killed in turn. For background processes, each counts as a separate machine."""

    def __init__(self, command: Command, *, count: int = 1, database: str = "") -> None:
        shared = command.having(WAKEFUL_LEASE_SECONDS=_LEASE_SECONDS)
        if database:
            shared = shared.having(WAKEFUL_DATABASE_URL=database)
        homes = [command.home.with_name(f"home-{number}") for number in range(count)]
        self._nodes = [Node(replace(shared, home=home), home.with_suffix(".log")) for home in homes]
        self.home = homes[0]
        self.kills = 0

    async def __aenter__(self) -> Self:
        for node in self._nodes:
            await node.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for node in self._nodes:
            await node.kill()
            # What a job of a dead server has inherited may stay open.
            for draining in node.draining:
                draining.cancel()
            await asyncio.gather(*node.draining, return_exceptions=True)

    async def kill_one(self) -> None:
        node = self._nodes[self.kills % len(self._nodes)]
        self.kills += 1
        await node.kill()
        await node.start()
