"""Streams that are cut and taken up again, through the routes and a real store, while the log is still written."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.types import ASGIApp

from tests.bare_engine import bare_engine
from tests.unit.gateway.openai.kit import TERMINAL, with_words
from tests.unit.gateway.openai.logs import randomly, spoken, turn_logs
from tests.unit.gateway.openai.test_run_projection import ENDS, question
from wakeful.engine import broadcaster
from wakeful.engine.clock import SystemClock
from wakeful.engine.settings import EngineSettings
from wakeful.gateway.auth import Keyring
from wakeful.gateway.http import http_app
from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.routes import api_routes
from wakeful.gateway.platforms.api_server import APIServerAdapter
from wakeful.model.event import Event, NewEvent
from wakeful.model.event import spoken as piece_of
from wakeful.model.ids import new_id
from wakeful.model.request import TurnRequest
from wakeful.model.session import Address, Session
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.model.words import Said, Word
from wakeful.store.base import Store, Transaction
from wakeful.store.sqlite.store import SqliteStore

DONE = b"data: [DONE]"
# Each example is a server's work; the unit tests of the projections have more of them.
seldom = settings(randomly, max_examples=25)


@dataclass(frozen=True, slots=True)
class Place:
    """The routes over a store, and the loop that they run in."""

    runner: asyncio.Runner
    store: Store
    app: ASGIApp


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        # So few that these short logs have many pages, and more than a tail.
        patch.setattr(broadcaster, "_PAGE", 3)
        patch.setattr(broadcaster, "_TAIL", 5)
        store = SqliteStore(tmp_path_factory.mktemp("cut") / "wakeful.db", lambda: 1_700_000_000.0)
        runner.run(store.open())
        yield Place(runner, store, runner.run(_app(store)))
        runner.run(store.close())


async def _app(store: Store) -> ASGIApp:
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
    return http_app(Keyring({"alice": "key"}), api_routes(api), version="1", is_stopping=lambda: False)


async def _any_model(name: str) -> str | None:
    return name


@dataclass(slots=True)
class Reader:
    """A client that reads a stream to its end, or leaves after so many frames."""

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

        async with asyncio.timeout(10):
            await self.app(scope, receive, send)
        return self.frames


@dataclass(frozen=True, slots=True)
class Log:
    """The log of one object of the API, as it is being written."""

    place: Place
    kind: str
    turn: Turn

    @classmethod
    async def begin(cls, place: Place, kind: str) -> "Log":
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
            await tx.turns.open(turn)

        await place.store.write(body, lock=[session.id])
        return cls(place, kind, turn)

    async def write(self, events: Sequence[Event]) -> None:
        """In one commit; a question belongs to the session and not to the turn."""

        async def body(tx: Transaction) -> None:
            for event in events:
                turn_id = None if event.turn_id is None else self.turn.id
                await tx.events.append(self.turn.session_id, turn_id, [NewEvent(event.kind, event.payload, event.ends)])
            if events and events[-1].is_final:
                await tx.turns.close_if_running(self.turn.id, Outcome(TurnStatus.DONE))

        await self.place.store.write(body, lock=[self.turn.session_id])

    def reader(self, after: int, leaves_after: int = 1_000_000) -> Reader:
        rest = self.turn.id.removeprefix("turn_")
        if self.kind == "run":
            return Reader(self.place.app, f"/v1/runs/run_{rest}/events", f"after={after}" * (after >= 0), leaves_after)
        query = "stream=true" + f"&starting_after={after}" * (after >= 0)
        return Reader(self.place.app, f"/v1/responses/resp_{rest}", query, leaves_after)


async def cut_and_resumed(place: Place, kind: str, parts: list[list[Event]], cuts: list[int]) -> list[list[bytes]]:
    """What one reader sees who stays from the first event to the last, and then what those see together who read one
    after another: each leaves after so many frames, and the next one comes with the number that it saw last. Each
    part is written when somebody reads already.
    """
    log = await Log.begin(place, kind)
    await log.write(parts[0])
    whole = asyncio.create_task(log.reader(-1).read())
    writing = asyncio.create_task(_write(log, parts[1:]))
    seen: list[bytes] = []
    for cut in [*cuts, 1_000_000]:
        seen += (await log.reader(len(seen) - 1, leaves_after=cut).read())[:cut]
        if seen[-1:] == [DONE] or (kind == "run" and _type_of(seen[-1]) in ENDS):
            break
    await writing
    return [await whole, seen]


async def _write(log: Log, parts: list[list[Event]]) -> None:
    for part in parts:
        await asyncio.sleep(0)
        await log.write(part)


def _type_of(frame: bytes) -> str:
    return next(line for line in frame.split(b"\n") if line.startswith(b"event: ")).removeprefix(b"event: ").decode()


def _data_of(frame: bytes) -> dict[str, Any]:
    data: dict[str, Any] = orjson.loads(frame.partition(b"data: ")[2])
    return data


@st.composite
def parted(draw: st.DrawFn, logs: st.SearchStrategy[list[Event]]) -> list[list[Event]]:
    """A log in the pieces in which it is committed."""
    log = draw(logs)
    places = sorted(draw(st.sets(st.integers(1, len(log) - 1), max_size=6)))
    return [log[first:last] for first, last in zip([0, *places], [*places, len(log)], strict=True)]


def kept(turn_log: list[Event]) -> list[Event]:
    """The same log as it is written now: what was said is kept with the event that ends it."""
    facts: list[Event] = []
    words: list[Word] = []
    for told in with_words(event for event in turn_log if (piece := piece_of(event)) is None or piece[2]):
        if isinstance(told, Word):
            words.append(told)
            continue
        facts.append(told if told.ends is None else replace(told, ends=replace(told.ends, said=Said.of(words))))
        words = []
    return facts


@st.composite
def with_questions(draw: st.DrawFn) -> list[Event]:
    log = draw(turn_logs() | turn_logs().map(kept))
    for number in range(draw(st.integers(0, 3))):
        log.insert(draw(st.integers(1, len(log) - 1)), question(f"asked_{number}"))
    return log


CUTS = st.lists(st.integers(1, 12), max_size=5)


@seldom
@given(parts=parted(turn_logs() | turn_logs().map(kept)), cuts=CUTS)
def test_a_response_that_is_cut_anywhere_is_whole_in_the_end(
    place: Place, parts: list[list[Event]], cuts: list[int]
) -> None:
    whole, seen = place.runner.run(cut_and_resumed(place, "response", parts, cuts))

    assert seen == whole
    assert whole[-1] == DONE
    data = [_data_of(frame) for frame in whole[:-1]]
    assert [one["sequence_number"] for one in data] == list(range(len(data)))
    assert [one["type"] for one in data if one["type"] in TERMINAL] == [data[-1]["type"]]
    output = data[-1]["response"]["output"]
    texts = [part["text"] for item in output if item["type"] == "message" for part in item["content"]]
    assert "".join(texts) == spoken([event for part in parts for event in part])


@seldom
@given(parts=parted(with_questions()), cuts=CUTS)
def test_a_run_that_is_cut_anywhere_is_whole_in_the_end(
    place: Place, parts: list[list[Event]], cuts: list[int]
) -> None:
    whole, seen = place.runner.run(cut_and_resumed(place, "run", parts, cuts))

    assert seen == whole
    assert [_data_of(frame)["sequence_number"] for frame in whole] == list(range(len(whole)))
    assert [_type_of(frame) for frame in whole if _type_of(frame) in ENDS] == [_type_of(whole[-1])]
