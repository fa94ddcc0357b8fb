"""The API's routes over a real store, a log that is written to it, and clients that read it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp

from tests.bare_engine import bare_engine
from tests.patience import PATIENCE
from tests.unit.gateway.asgi import well
from wakeful.engine.clock import SystemClock
from wakeful.engine.settings import EngineSettings
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.http import http_app
from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.routes import api_routes
from wakeful.gateway.platforms.api_server import APIServerAdapter
from wakeful.model.api.request import TurnRequest
from wakeful.model.event import Event, NewEvent
from wakeful.model.ids import new_id
from wakeful.model.opening import Closing, Opening
from wakeful.model.session import Address, Session
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.store.base import Store, Transaction


@dataclass(frozen=True, slots=True)
class ServedApi:
    """The API's routes over a store, and the event loop that they run in."""

    runner: asyncio.Runner
    store: Store
    api: Api
    app: ASGIApp


async def served(runner: asyncio.Runner, store: Store) -> ServedApi:
    no_loop: Any = None
    api = Api(
        engine=bare_engine(store, no_loop, SystemClock(), EngineSettings()),
        store=store,
        door=APIServerAdapter.door(),
        resolve_model=_any_model,
        models=lambda: (),
        operator="operator",
        workspace="/",
    )
    app = http_app(Keyring({"alice": "key"}), api_routes(api), health=well)
    return ServedApi(runner, store, api, app)


async def _any_model(name: str) -> str | None:
    return name


@dataclass(slots=True)
class Reader:
    """A client that reads a stream to its end, or leaves after some frames."""

    app: ASGIApp
    path: str
    query: str
    leaves_after: int = 1_000_000
    frames: list[bytes] = field(default_factory=list)

    async def read(self) -> list[bytes]:
        scope = {
            "type": "http",
            "method": "GET",
            "path": self.path,
            "raw_path": self.path.encode(),
            "query_string": self.query.encode(),
            "headers": [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer key")],
        }
        left = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                assert message["status"] == 200
                return
            if not left.is_set():
                self.frames += [frame for frame in message["body"].split(b"\n\n") if frame]
            if not message.get("more_body") or len(self.frames) >= self.leaves_after:
                left.set()

        async with asyncio.timeout(PATIENCE):
            await self.app(scope, receive, send)
        return self.frames


@dataclass(frozen=True, slots=True)
class Log:
    """The log of one response or run, while it is written."""

    served_api: ServedApi
    kind: str
    turn: Turn

    @classmethod
    async def begin(cls, served_api: ServedApi, kind: str) -> "Log":
        door = APIServerAdapter.door()
        address = Address(door.name)
        session = Session(new_id("ses"), "alice", address, "demo:model", "/")
        turn = Turn(
            id=new_id("turn"),
            session_id=session.id,
            parent=None,
            door=door,
            address=address,
            source="user",
            is_wakeup=False,
            model="demo:model",
            status=TurnStatus.RUNNING,
            node="node",
            epoch=1,
            request=TurnRequest(kind=kind).dump(),
        )

        async def body(tx: Transaction) -> None:
            await tx.sessions.create_if_absent(session)
            await tx.open(Opening(turn))

        await served_api.store.write(body, lock=[session.id])
        return cls(served_api, kind, turn)

    async def write(self, events: Sequence[Event]) -> None:
        """Append the events in one commit. Questions belong to the session and not to the turn."""

        async def body(tx: Transaction) -> None:
            for event in events:
                turn_id = None if event.turn_id is None else self.turn.id
                await tx.events.append(self.turn.session_id, turn_id, [NewEvent(event.kind, event.payload, event.ends)])
            if events and events[-1].is_final:
                await tx.close(Closing(self.turn, Outcome(TurnStatus.DONE), ()))

        await self.served_api.store.write(body, lock=[self.turn.session_id])

    def reader(self, after: int, leaves_after: int = 1_000_000) -> Reader:
        rest = self.turn.id.removeprefix("turn_")
        if self.kind == "run":
            return Reader(
                self.served_api.app, f"/v1/runs/run_{rest}/events", f"after={after}" * (after >= 0), leaves_after
            )
        query = "stream=true" + f"&starting_after={after}" * (after >= 0)
        return Reader(self.served_api.app, f"/v1/responses/resp_{rest}", query, leaves_after)
