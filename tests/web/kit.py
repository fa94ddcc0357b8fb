"""A server on a loopback port: real store, real engine, real HTTP; only the agent is scripted by the test."""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import orjson
from starlette.routing import Route

from tests.bare_engine import NoProcesses, bare_engine
from tests.engine.kit import LedAgent, exit_of, task_for
from tests.patience import PATIENCE
from wakeful.cli.server.http_server import serving
from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.ledger import Ledger
from wakeful.engine.schedules.desk import ScheduleDesk
from wakeful.engine.schedules.settings import ScheduleSettings
from wakeful.engine.settings import EngineSettings
from wakeful.errors import ConfigError
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.entrance.logins.desk import LoginDesk, LoginLinks
from wakeful.gateway.entrance.logins.list_routes import LoginListRoutes
from wakeful.gateway.entrance.logins.password import Password
from wakeful.gateway.entrance.logins.routes import LoginRoutes
from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.gateway.http import http_app
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.settings import DoorSettings
from wakeful.gateway.monitoring.health import Health
from wakeful.model.approvals.mode import Mode
from wakeful.model.journal.message import Usage
from wakeful.model.messaging.chat import SessionScope
from wakeful.model.messaging.door import DoorStatus
from wakeful.model.messaging.pairing import Pairing
from wakeful.model.session import Address
from wakeful.model.tasks.task import LogPage, Task, TaskOutcome, TaskStatus
from wakeful.model.turn import Door, Lease
from wakeful.store.base import Store, Transaction
from wakeful.web.facts.costs import CostRoutes
from wakeful.web.facts.me import MeRoutes, ServerFacts
from wakeful.web.facts.models import ModelChoice, ModelChoiceRoutes
from wakeful.web.facts.usage import UsageRoutes
from wakeful.web.messaging.hooks import HookFacts
from wakeful.web.messaging.routes import messaging_routes
from wakeful.web.pages import PageRoutes
from wakeful.web.routes import web_routes
from wakeful.web.schedules.routes import CronRoutes
from wakeful.web.web import Web
from wakeful.wire.sse import StreamSettings

KEYS = {"operator": "operator-key", "ann": "ann-key", "bob": "bob-key"}
DOORS = {
    "web": Door("web", async_delivery=True),
    "terminal": Door("terminal", async_delivery=True),
    "ask": Door("ask", async_delivery=False),
}
HOOKS = [
    HookFacts("builds", "standard", "/hooks/builds", None),
    HookFacts("shop", "github", "https://wakeful.example/hooks/shop", Address("telegram", "-100", "7")),
    HookFacts("alerts", "github", "https://wakeful.example/hooks/alerts", Address("telegram", "-100")),
]
# The end of a task wakes its session at once; most tests are not about the wait for other tasks to end.
QUICK = EngineSettings(stop_grace_seconds=0.0, wake_company_seconds=0.0)


class FakeTasks:
    """Stands in for the processes behind tasks."""

    def __init__(self) -> None:
        self.engine: Engine | None = None
        self.logs: dict[str, bytes] = {}
        self.percent: dict[str, int] = {}

    async def kill_task(self, task: Task) -> bool:
        assert self.engine is not None
        if not await self.engine.tasks.intend_kill(task.id):
            return False
        return await self.engine.tasks.finish(task.id, TaskOutcome(TaskStatus.KILLED, None, "killed"))

    async def read_log(self, task: Task, offset: int) -> LogPage:
        output = self.logs.get(task.id, b"")[offset:]
        return LogPage(output.decode(errors="replace"), offset, offset + len(output), not task.is_running)

    def progress(self, task: Task) -> int | None:
        return self.percent.get(task.id)


@dataclass(slots=True)
class Desk:
    """The messaging doors as the routes see them: real people, and states that a test sets."""

    people: People
    doors: dict[str, DoorStatus] = field(default_factory=dict)
    # The platforms whose posts were looked at again.
    woken: list[str] = field(default_factory=list)

    def statuses(self) -> dict[str, DoorStatus]:
        return self.doors

    async def pair(self, code: str) -> Pairing:
        return await self.people.pair(code)

    def wake(self, platform: str) -> None:
        self.woken.append(platform)


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    json: Any
    headers: Mapping[str, str]

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])


@dataclass(frozen=True, slots=True)
class Frame:
    id: str
    event: str
    data: dict[str, Any]


class Reader:
    """One connection to a stream."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.comments = 0
        # The frames verbatim.
        self.raw = ""
        self._response = response

    async def next(self) -> Frame | None:
        """Return the next frame, or None when the stream has ended."""
        block = await self._block()
        while block.startswith(":"):
            self.comments += 1
            block = await self._block()
        if not block:
            return None
        self.raw += block
        fields = dict(line.split(": ", 1) for line in block.strip("\n").split("\n"))
        return Frame(fields["id"], fields["event"], orjson.loads(fields["data"]))

    async def until(self, event: str) -> list[Frame]:
        """Return the frames up to the first with this name."""
        frames: list[Frame] = []
        while not frames or frames[-1].event != event:
            frame = await self.next()
            assert frame is not None, f"the stream ended before {event}"
            frames.append(frame)
        return frames

    async def rest(self) -> list[Frame]:
        frames: list[Frame] = []
        while (frame := await self.next()) is not None:
            frames.append(frame)
        return frames

    async def _block(self) -> str:
        async with asyncio.timeout(PATIENCE):
            try:
                return (await self._response.content.readuntil(b"\n\n", max_size=1 << 24)).decode()
            except asyncio.IncompleteReadError:
                return ""


@dataclass(slots=True)
class Served:
    engine: Engine
    store: Store
    agent: LedAgent
    tasks: FakeTasks
    url: str
    http: aiohttp.ClientSession
    server: asyncio.Task[None]
    desk: LoginDesk
    messaging: Desk

    async def get(self, path: str, who: str = "ann", **query: Any) -> Reply:
        return await self.request("GET", path, who, params=query)

    async def post(self, path: str, body: Any, who: str = "ann", **headers: str) -> Reply:
        return await self.request("POST", path, who, data=BytesIO(orjson.dumps(body)), headers=headers)

    async def patch(self, path: str, body: Any, who: str = "ann") -> Reply:
        return await self.request("PATCH", path, who, data=BytesIO(orjson.dumps(body)))

    async def request(self, method: str, path: str, who: str, **how: Any) -> Reply:
        headers = {"Authorization": f"Bearer {KEYS.get(who, '')}", **how.pop("headers", {})}
        async with asyncio.timeout(PATIENCE), self.http.request(method, path, headers=headers, **how) as response:
            body = await response.read()
        return Reply(response.status, orjson.loads(body) if body else None, response.headers)

    @asynccontextmanager
    async def stream(self, path: str, who: str = "ann", *, last: str = "", **query: Any) -> AsyncIterator[Reader]:
        headers = {"Authorization": f"Bearer {KEYS[who]}"} | ({"Last-Event-ID": last} if last else {})
        async with self.http.get(path, params=query, headers=headers) as response:
            yield Reader(response)

    async def read(self, path: str, *, last: str = "", **query: Any) -> list[Frame]:
        """Read a stream that ends, from its start or from a cursor."""
        async with self.stream(path, last=last, **query) as reader:
            assert reader.status == 200
            return await reader.rest()

    async def new_session(self, who: str = "ann", **given: Any) -> str:
        """Create a session with a title: a title made from the first message would be one more event in its log."""
        return str((await self.post("/api/session/new", {"title": "A talk"} | given, who)).json["session_id"])

    async def say(self, session_id: str, message: str, *orders: str, who: str = "ann", **more: Any) -> str:
        """Start a turn that follows these orders, and return its id."""
        given = {"session_id": session_id, "message": message, **more}
        reply = await self.post("/api/chat/start", given, who)
        assert reply.status == 200, reply.json
        turn_id = str(reply.json["turn_id"])
        self.agent.order(turn_id, *orders)
        return turn_id

    async def finished(self, turn_id: str) -> list[Frame]:
        return await self.read("/api/chat/stream", stream_id=turn_id)

    async def shown(self, session_id: str, who: str = "ann", **query: Any) -> Any:
        reply = await self.get("/api/session", who, session_id=session_id, **query)
        assert reply.status == 200, reply.json
        return reply.json

    async def begin_task(self, turn_id: str, name: str, *, will_notify: bool = True) -> None:
        """Record a task of a running turn, as a tool would."""
        turn = (await self.running(turn_id)).turn
        lease = Lease(turn.id, turn.session_id, self.engine.node, turn.epoch)
        task = task_for(turn.session_id, turn.id, name, will_notify=will_notify, address=Address("web"))
        await self.engine.tasks.begin(lease, replace(task, owner="ann"))

    async def end_task(self, name: str, code: int = 0) -> None:
        await self.engine.tasks.finish(name, exit_of(name, code))

    async def running(self, turn_id: str) -> Any:
        """Return the brief that the agent got for a turn, as soon as the turn runs."""
        async with asyncio.timeout(PATIENCE):
            while turn_id not in self.agent.briefs:  # noqa: ASYNC110 - the agent has no event for it
                await asyncio.sleep(0.001)
        return self.agent.briefs[turn_id]

    async def last_event(self, session_id: str) -> int:
        async def body(tx: Transaction) -> int:
            session = await tx.sessions.get(session_id)
            return 0 if session is None else session.last_seq

        return await self.store.read(body)

    def followers(self) -> int:
        """Return how many cursors the engine has open."""
        return sum(len(followed.readers) for followed in self.engine._broadcaster._followed.all())

    async def wait_for_no_followers(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while self.followers():  # noqa: ASYNC110 - the server has no event for it
                await asyncio.sleep(0.005)


@asynccontextmanager
async def served(
    store: Store,
    workspace: Path,
    *,
    settings: EngineSettings | None = None,
    streams: StreamSettings | None = None,
    listener: socket.socket | None = None,
    local: socket.socket | None = None,
    password: str = "",
    address: OwnAddress | None = None,
) -> AsyncIterator[Served]:
    agent, tasks = LedAgent(), FakeTasks()
    ledgers: list[Ledger] = []

    def make_processes(ledger: Ledger) -> NoProcesses:
        ledgers.append(ledger)
        return NoProcesses()

    engine = bare_engine(store, agent, SystemClock(), settings or QUICK, make_processes=make_processes)
    tasks.engine = engine
    platforms = {"telegram": SessionScope.THREAD}
    cron = ScheduleSettings("operator", "demo:led", str(workspace), "UTC", 3600.0, 60.0, platforms)
    schedules = ScheduleDesk(ledgers[0], cron, check_model)
    web = Web(
        engine=engine,
        store=store,
        tasks=tasks,
        attachments=AttachmentDesk(store, workspace / ".home", 20 * 1024 * 1024),
        doors=DOORS,
        check_model=check_model,
        operator="operator",
        model="demo:led",
        workspace=str(workspace),
        streams=streams or StreamSettings(),
    )
    listener = listener or socket.create_server(("127.0.0.1", 0))
    # asyncio sets this only for sockets that were made with a protocol number; uvloop always sets it.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    desk, address = LoginDesk(store, KEYS), address or OwnAddress()
    messaging = Desk(People(store, {"telegram": DoorSettings()}))
    app = http_app(
        Keyring(KEYS),
        [
            *web_routes(web),
            *messaging_routes(web, messaging, HOOKS),
            *CronRoutes(schedules).routes(),
            *UsageRoutes(web, settings or QUICK).routes(),
            *CostRoutes(web, _costs_of).routes(),
            *_front_door(desk, url, Password(password), address),
        ],
        health=Health("1", store, engine.vitals, lambda: engine.is_stopping, workspace, messaging.statuses),
        desk=desk,
        address=address,
    )
    await engine.start()
    try:
        listeners = [listener] if local is None else [listener, local]
        async with serving(app, listeners, before_end=engine.stop) as server:
            connector = aiohttp.TCPConnector(limit=0)
            timeout = aiohttp.ClientTimeout(total=30)
            async with aiohttp.ClientSession(url, connector=connector, timeout=timeout) as http:
                yield Served(engine, store, agent, tasks, url, http, server, desk, messaging)
    finally:
        await engine.stop()


def _costs_of(model: str, usage: Usage) -> tuple[float, float, float] | None:
    """A cent a token that is read, a tenth of it from the cache, two that are written; demo:unpriced has no price."""
    read, cached, written = usage.paid_tokens
    return None if model == "demo:unpriced" else (read * 0.01, cached * 0.001, written * 0.02)


def _front_door(desk: LoginDesk, url: str, password: Password, address: OwnAddress) -> list[Route]:
    rooms = (
        LoginRoutes(desk, LoginLinks(desk, url), password, address, operator="operator"),
        LoginListRoutes(desk, operator="operator"),
        PageRoutes(has_password=password.is_set),
        MeRoutes(
            ServerFacts(
                "machine", "1", "demo:led", Mode.ACCEPT_EDITS, "none", password.is_set, 30.0, "/home/ann/config.toml"
            ),
            "operator",
        ),
        ModelChoiceRoutes(lambda: [ModelChoice(id="demo:led", provider="demo", name="led")], "demo:led"),
    )
    return [route for room in rooms for route in room.routes()]


def check_model(name: str) -> None:
    if not name.startswith("demo:"):
        raise ConfigError(f"The model {name!r} names an unknown provider; the known provider is demo.")
