"""A storm: many background processes over many sessions, and a server that is killed again and again meanwhile."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import aiohttp
import orjson

from tests.acceptance.command import Command, Server, greeting_of

_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Job:
    """A process for an agent to start. Its command has the job's name, and adds a line to a file when it runs."""

    name: str
    session: int
    seconds: float
    code: int
    # Whether the test kills it, as a person would.
    is_killed: bool

    def command(self, ledger: Path) -> str:
        work = f"sleep {self.seconds}; " if self.seconds else ""
        return f"echo {self.name} >> {ledger}; {work}echo this was {self.name}; exit {self.code}"


@dataclass(slots=True)
class Counts:
    """The results of a storm."""

    processes: int = 0
    deaths: int = 0
    notices: int = 0
    killed: int = 0
    lost: int = 0
    doubled: int = 0
    wrong_session: int = 0
    wrong_code: int = 0
    run_twice: int = 0
    never_run: int = 0
    stuck_sessions: int = 0
    complaints: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')}: {getattr(self, name)}" for name in self.__slots__)


def make_jobs(chance: random.Random, *, sessions: int, processes: int) -> list[Job]:
    return [_make_job(chance, number, number % sessions) for number in range(processes)]


def _make_job(chance: random.Random, number: int, session: int) -> Job:
    kind = chance.choices(["instant", "short", "long", "killed"], [2, 4, 3, 1])[0]
    seconds = {"instant": 0.0, "short": 0.3, "long": 5.0, "killed": 300.0}[kind] * chance.uniform(0.5, 1.0)
    code = chance.choice([0, 0, 0, 1, 3, 42])
    return Job(f"job-{number}-of-{session}-end", session, round(seconds, 2), code, kind == "killed")


class Storm:
    """Talks to the server that is up, and starts another one each time it has killed one."""

    def __init__(self, command: Command, jobs: Sequence[Job], ledger: Path, chance: random.Random) -> None:
        self._command = command
        self._jobs = jobs
        self._ledger = ledger
        self._chance = chance
        self._server: Server | None = None
        self._is_up = asyncio.Event()
        self._client: aiohttp.ClientSession
        self._key = ""
        self.sessions: list[str] = []
        self.deaths = 0

    async def __aenter__(self) -> Self:
        self._client = aiohttp.ClientSession()
        self._key = (await self._command.run("key")).out.strip()
        await self._put_up()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._take_down()
        await self._client.close()

    async def kill_server(self) -> None:
        await self._take_down()
        self.deaths += 1
        await self._put_up()

    async def begin(self) -> None:
        """Send each session its jobs: some in one message, as calls side by side, the rest in the next one."""
        for _ in range(max(job.session for job in self._jobs) + 1):
            self.sessions.append((await self.post("/api/session/new", {}))["session_id"])
        await asyncio.gather(*(self._begin_session(number) for number in range(len(self.sessions))))

    async def end_the_endless(self) -> None:
        """Kill the jobs that are meant to be killed, as a person would, waiting until each has a row."""
        for job in self._jobs:
            if job.is_killed:
                task = await self._until_begun(job)
                await self.post(f"/api/tasks/{task['id']}/kill", {})

    async def until_quiet(self) -> None:
        async with asyncio.timeout(_PATIENCE):
            while not all([await self._is_quiet(session_id) for session_id in self.sessions]):  # noqa: ASYNC110
                await asyncio.sleep(0.1)  # Another process changes it.

    async def get(self, path: str, **query: str) -> Any:
        return await self._ask("GET", path, query, None)

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        return await self._ask("POST", path, {}, body)

    async def _put_up(self) -> None:
        process = await self._command.start("serve", "--port", "0")
        self._server = Server(process, await greeting_of(process))
        self._is_up.set()

    async def _take_down(self) -> None:
        assert self._server is not None
        self._is_up.clear()
        self._server.process.kill()
        await self._server.process.communicate()

    async def _begin_session(self, number: int) -> None:
        mine = [job for job in self._jobs if job.session == number]
        middle = self._chance.randint(1, len(mine))
        for part, jobs in enumerate((mine[:middle], mine[middle:])):
            if jobs:
                message = _message_for([job.command(self._ledger) for job in jobs])
                key = {"client_message_id": f"{number}-{part}"}
                await self.post("/api/chat/start", {"session_id": self.sessions[number], "message": message, **key})

    async def _until_begun(self, job: Job) -> dict[str, Any]:
        async with asyncio.timeout(_PATIENCE):
            while True:
                tasks = (await self.get("/api/tasks", session_id=self.sessions[job.session]))["tasks"]
                for task in tasks:
                    if job.name in task["command"]:
                        found: dict[str, Any] = task
                        return found
                await asyncio.sleep(0.05)  # Another process changes it.

    async def _is_quiet(self, session_id: str) -> bool:
        seen = await self.get("/api/session", session_id=session_id)
        is_running = any(task["status"] == "running" for task in seen["tasks"])
        return not (seen["active"] or seen["queued"] or seen["pending_notices"] or is_running)

    async def _ask(self, method: str, path: str, query: dict[str, str], body: dict[str, Any] | None) -> Any:
        """Send a request, and try again each time the server dies: the request may arrive twice."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                await self._is_up.wait()
                assert self._server is not None
                url = f"http://127.0.0.1:{self._server.port}{path}"
                headers = {"Authorization": f"Bearer {self._key}"}
                try:
                    async with self._client.request(method, url, params=query, json=body, headers=headers) as reply:
                        data = await reply.json()
                        assert reply.status == 200, data
                        return data
                except aiohttp.ClientError:
                    await asyncio.sleep(0.02)  # It has just died: the next server is starting.


def _message_for(commands: Sequence[str]) -> str:
    calls = [
        {"name": "terminal", "arguments": {"command": command, "background": True, "notify_on_complete": True}}
        for command in commands
    ]
    return "script: " + orjson.dumps({"calls": calls}).decode()


async def count(storm: Storm, jobs: Sequence[Job], ledger: Path) -> Counts:
    """Compare the notices of all sessions with the jobs that were started."""
    counts = Counts(processes=len(jobs), deaths=storm.deaths)
    runs = Counter(ledger.read_text().split())
    notices: Counter[str] = Counter()
    for number, session_id in enumerate(storm.sessions):
        seen = await storm.get("/api/session", session_id=session_id, limit="1000")
        counts.stuck_sessions += bool(seen["active"] or seen["queued"] or seen["pending_notices"])
        mine = {job.name: job for job in jobs if job.session == number}
        for message in seen["messages"]:
            if message["notice"]:
                _count_notice(counts, notices, mine, message)
        _count_tasks(counts, notices, mine, seen["tasks"])
    counts.run_twice = sum(1 for job in jobs if runs[job.name] > 1)
    # A job may be killed before it adds its line.
    counts.never_run = sum(1 for job in jobs if not runs[job.name] and not job.is_killed)
    counts.doubled = sum(1 for times in notices.values() if times > 1)
    return counts


def _count_notice(counts: Counts, notices: Counter[str], mine: dict[str, Job], message: dict[str, Any]) -> None:
    counts.notices += 1
    name = next((name for name in mine if name in message["notice"]["command"]), None)
    if name is None:
        counts.wrong_session += 1
        return
    notices[name] += 1
    is_right = f"(exit code {mine[name].code})" in message["content"] and f"this was {name}" in message["content"]
    if not is_right or message["notice"]["exit_code"] != mine[name].code:
        counts.wrong_code += 1
        counts.complaints.append(message["content"])


def _count_tasks(counts: Counts, notices: Counter[str], mine: dict[str, Job], tasks: Sequence[dict[str, Any]]) -> None:
    """Count wrong notices: a job that was killed on purpose has none, every other one has one."""
    for name, job in mine.items():
        owned = [task for task in tasks if name in task["command"]]
        counts.doubled += max(0, len(owned) - 1)
        if job.is_killed and owned and owned[0]["status"] == "killed":
            counts.killed += 1
            counts.doubled += notices[name]
        elif not notices[name]:
            counts.lost += 1
            counts.complaints.append(f"there was no notice of {name}: {owned}")
