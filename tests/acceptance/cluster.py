"""Three servers on one database: each is killed, frozen and thawed, and requests go to one that answers."""

import asyncio
import random
import signal
import time
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import aiohttp
import asyncpg

from tests.acceptance.command import Command, Server, greeting_of
from tests.acceptance.storm import Job, Storm

NODES = 3
_KEY = "a-key-for-all-of-them"
# A frozen server does not answer: ask another one.
_ANSWER_SECONDS = 2.0
_PATIENCE = 90.0
_TRIES_TO_FREEZE = 40


@dataclass(slots=True)
class Member:
    """One server, which is a new process after each kill."""

    command: Command
    server: Server | None = None
    # Its node id in the database, and the application name of its connections.
    node: str = ""
    connections: str = ""
    log: list[str] = field(default_factory=list)
    draining: asyncio.Task[None] | None = None

    @property
    def process(self) -> Process:
        assert self.server is not None
        return self.server.process


@dataclass(slots=True)
class TakeOvers:
    """How long it took until other servers had all turns of a server."""

    kills: list[float] = field(default_factory=list)
    freezes: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        return "; ".join(f"take-over after {name}: {_spread(times)}" for name, times in self._named())

    def _named(self) -> list[tuple[str, list[float]]]:
        return [("a kill", self.kills), ("a freeze", self.freezes)]


class Cluster(Storm):
    def __init__(
        self, command: Command, url: str, jobs: Sequence[Job], ledger: Path, chance: random.Random, lease: float
    ) -> None:
        super().__init__(command, jobs, ledger, chance)
        common = command.having(
            WAKEFUL_DATABASE_URL=url, WAKEFUL_API_KEYS=f"ci={_KEY}", WAKEFUL_LEASE_SECONDS=str(lease)
        )
        # A freeze outlasts the lease, or it would not be noticed.
        self._freeze_seconds = lease + 2
        # For background processes, each server counts as a separate machine.
        homes = [command.home.with_name(f"home-{number}") for number in range(NODES)]
        self._members = [Member(replace(common, home=home)) for home in homes]
        self._url = url
        self._database: asyncpg.Pool
        self._key = _KEY
        self.take_overs = TakeOvers()
        self.trouble = 0

    async def __aenter__(self) -> Self:
        self._client = aiohttp.ClientSession()
        self._database = await asyncpg.create_pool(self._url, min_size=1, max_size=4)
        for member in self._members:
            await self._start(member)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        for member in self._members:
            await _end(member)
        await self._client.close()
        self._database.terminate()

    async def kill(self) -> None:
        member = self._chance.choice(self._members)
        began = time.monotonic()
        is_at_work = await self._turns_of(member) > 0
        await _end(member)
        self.deaths += 1
        if is_at_work:
            self.take_overs.kills.append(await self._until_taken_over(member, began))
        await self._start(member)

    async def freeze(self) -> None:
        """Stop a server in the middle of a transaction, for longer than its lease."""
        member = self._chance.choice(self._members)
        began = await self._stop_in_transaction(member)
        thaw = asyncio.create_task(_continue_later(member, self._freeze_seconds))
        if await self._turns_of(member):
            self.take_overs.freezes.append(await self._until_taken_over(member, began))
        await thaw

    async def search_in_a_burst(self) -> None:
        member = self._chance.choice(self._members)
        searches = [self._ask_at(member, "GET", "/api/sessions", {"q": f"job-{number}"}, None) for number in range(10)]
        # It may be down, or die of something else meanwhile.
        await asyncio.gather(*searches, return_exceptions=True)

    def logs(self) -> str:
        return "\n".join(line for member in self._members for line in [f"--- {member.node}", *member.log[-40:]])

    def any_port(self) -> int:
        servers = [member.server for member in self._members if member.server is not None]
        return self._chance.choice(servers).port

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"}

    async def fetch(self, query: str, *arguments: object) -> list[asyncpg.Record]:
        """Query the database itself, and again after a restart of it."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                try:
                    return await self._database.fetch(query, *arguments)
                except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
                    await asyncio.sleep(0.05)  # It is being restarted.

    async def _start(self, member: Member) -> None:
        known = {row["id"] for row in await self.fetch("SELECT id FROM nodes")} if member.node or self.deaths else set()
        async with asyncio.timeout(_PATIENCE):
            process = await member.command.start("serve", "--port", "0")
            member.server = Server(process, await greeting_of(process))
        member.draining = asyncio.create_task(_drain(member))
        known |= {other.node for other in self._members}
        rows = await self.fetch("SELECT id, connections FROM nodes ORDER BY lease_until DESC")
        (row,) = [row for row in rows if row["id"] not in known]
        member.node, member.connections = row["id"], row["connections"]

    async def _stop_in_transaction(self, member: Member) -> float:
        for _ in range(_TRIES_TO_FREEZE):
            await self._until_in_transaction(member)
            began = time.monotonic()
            member.process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(0.02)  # Let the database answer what the server has asked for.
            if await self._is_in_transaction(member):
                return began
            member.process.send_signal(signal.SIGCONT)
        member.process.send_signal(signal.SIGSTOP)
        return time.monotonic()

    async def _until_in_transaction(self, member: Member) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                while not await self._is_in_transaction(member):
                    pass

    async def _is_in_transaction(self, member: Member) -> bool:
        (row,) = await self.fetch(
            """SELECT count(*) FROM pg_stat_activity
               WHERE application_name = $1 AND state = 'idle in transaction' AND query !~ '^BEGIN'""",
            member.connections,
        )
        return bool(row["count"])

    async def _turns_of(self, member: Member) -> int:
        (row,) = await self.fetch("SELECT count(*) FROM turns WHERE status = 'running' AND node = $1", member.node)
        count: int = row["count"]
        return count

    async def _until_taken_over(self, member: Member, began: float) -> float:
        async with asyncio.timeout(_PATIENCE):
            while await self._turns_of(member):  # noqa: ASYNC110 - another process changes it
                await asyncio.sleep(0.02)
        return time.monotonic() - began

    async def _ask(self, method: str, path: str, query: dict[str, str], body: dict[str, Any] | None) -> Any:
        """Send a request to a server that is up, and try again if it dies: the request may arrive twice."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                try:
                    return await self._ask_at(self._chance.choice(self._members), method, path, query, body)
                except (aiohttp.ClientError, TimeoutError):
                    self.trouble += 1
                    await asyncio.sleep(0.05)

    async def _ask_at(
        self, member: Member, method: str, path: str, query: dict[str, str], body: dict[str, Any] | None
    ) -> Any:
        if member.server is None:
            raise aiohttp.ClientConnectionError
        url = f"http://127.0.0.1:{member.server.port}{path}"
        limit = aiohttp.ClientTimeout(_ANSWER_SECONDS)
        async with self._client.request(
            method, url, params=query, json=body, headers=self.headers, timeout=limit
        ) as reply:
            data = await reply.json()
            if reply.status == 503:
                raise aiohttp.ClientConnectionError(data)  # The database is down, or the server is stopping.
            assert reply.status == 200, data
            return data


async def _end(member: Member) -> None:
    if member.server is None:
        return
    process, member.server = member.process, None
    process.kill()
    await process.wait()
    if member.draining is not None:
        await member.draining


async def _continue_later(member: Member, seconds: float) -> None:
    await asyncio.sleep(seconds)
    member.process.send_signal(signal.SIGCONT)


async def _drain(member: Member) -> None:
    """Read a server's log, so that it does not fill the pipe and block the server."""
    stream = member.process.stderr
    assert stream is not None
    async for line in stream:
        member.log.append(line.decode().rstrip())


def _spread(times: list[float]) -> str:
    if not times:
        return "none"
    ordered = sorted(times)
    return f"{len(times)} times, p50 {ordered[len(times) // 2]:.1f} s, longest {ordered[-1]:.1f} s"
