"""Runs through their routes: whose they are, where a reader goes on, and what answers a question."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.gateway.asgi import Answer
from tests.unit.gateway.openai.kit import done, log, token
from tests.unit.gateway.openai.taking import TakingEngine, asking, taking_api
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.responses.routes import ResponseRoutes
from wakeful.gateway.openai.runs.routes import RunRoutes
from wakeful.gateway.openai.session_headers import WithSessionHeader
from wakeful.model.event import NewEvent
from wakeful.model.session import Address, Session
from wakeful.model.words import Position
from wakeful.store.base import Store
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.sse import EventStream

HELLO = {"input": "Hello", "model": "demo:model", "instructions": "Be brief."}


class RunningEngine(TakingEngine):
    """Also notes what questions are answered with, and where the last reader of a session began."""

    read: Any = None

    @property
    def approvals(self) -> "RunningEngine":
        return self

    async def answer(self, *given: Any) -> None:
        self.cancelled.append(given)

    async def subscribe(self, session_id: str, after: Any, *, starts_over: bool) -> AsyncIterator[Any]:
        self.read = (session_id, after, starts_over)
        for page in self.pages:
            yield page
        raise AssertionError("a reader leaves when the run has ended")


@pytest.fixture
def engine(store: Store) -> RunningEngine:
    return RunningEngine(store)


@pytest.fixture
def routes(engine: RunningEngine) -> RunRoutes:
    return RunRoutes(taking_api(engine))


async def answer(given: WithSessionHeader) -> Answer:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    nothing: Any = None
    await given({"type": "http", "method": "GET"}, nothing, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))


async def begun(engine: RunningEngine, routes: RunRoutes, *events: NewEvent, **headers: Any) -> dict[str, str]:
    """Begin a run whose log says this, and return its path."""
    made = await answer(await routes.create(asking(HELLO, **headers)))
    assert made.status == 202
    sent = engine.submissions[-1]
    whole = log(*events)
    engine.pages = [[replace(event, turn_id=sent.turn_id) for event in whole]]
    kept = [NewEvent(event.kind, event.payload) for event in whole]
    await engine.store.write(lambda tx: tx.events.append(sent.session_id, sent.turn_id, kept), lock=[sent.session_id])
    return {"run_id": made.json["run_id"]}


async def frames(routes: RunRoutes, path: dict[str, str], query: str = "", **headers: Any) -> list[tuple[str, str]]:
    stream = (await routes.events(asking({}, path=path, query=query, **headers)))._answer
    assert isinstance(stream, EventStream)
    text = b"".join([piece async for piece in stream._frames]).decode()
    parts = [frame.split("\n") for frame in text.split("\n\n") if frame]
    return [(lines[0].removeprefix("id: "), lines[1].removeprefix("event: ")) for lines in parts]


async def test_a_run_begins_with_its_instructions_and_names_its_session(
    engine: RunningEngine, routes: RunRoutes
) -> None:
    made = await answer(await routes.create(asking(HELLO)))

    (sent,) = engine.submissions
    assert made.json == {"run_id": sent.turn_id.replace("turn_", "run_"), "status": "running"}
    assert made.headers["x-hermes-session-id"] == sent.session_id
    assert (sent.request.kind, sent.request.instructions, sent.model) == ("run", "Be brief.", "demo:model")
    assert sent.from_checkpoint


async def test_a_run_in_a_session_of_the_page_goes_on_from_its_last_turn_with_its_model(
    engine: RunningEngine, routes: RunRoutes
) -> None:
    page = Session("ses_1", "alice", Address("web"), "demo:own", "/")
    await engine.store.write(lambda tx: tx.sessions.create_if_absent(page))
    await routes.create(asking({"input": "Hello"}, x_hermes_session_id="ses_1"))

    (sent,) = engine.submissions
    assert (sent.session_id, sent.model, sent.from_checkpoint) == ("ses_1", "demo:own", False)


async def test_a_model_that_nobody_has_is_not_found(engine: RunningEngine, routes: RunRoutes) -> None:
    with pytest.raises(ApiError) as refusal:
        await routes.create(asking(HELLO | {"model": "none"}))

    assert (refusal.value.status, refusal.value.code, engine.submissions) == (404, "model_not_found", [])


async def test_a_run_is_shown_as_it_stands(engine: RunningEngine, routes: RunRoutes) -> None:
    path = await begun(engine, routes, token("Hi"))
    shown = await answer(await routes.show(asking({}, path=path)))

    assert (shown.json["status"], shown.json["output"]) == ("running", "Hi")
    assert shown.headers["x-hermes-session-id"] == engine.submissions[0].session_id


@pytest.mark.parametrize("name", ["show", "events", "stop", "approve"])
async def test_a_run_of_another_is_none_and_nothing_happens_to_it(
    engine: RunningEngine, routes: RunRoutes, name: str
) -> None:
    path = await begun(engine, routes)
    body = {"call_id": "c1", "choice": "once"}
    for owner, run in (("bob", path), ("alice", {"run_id": "run_none"}), ("alice", {"run_id": "turn_x"})):
        with pytest.raises(ApiError) as refusal:
            await getattr(routes, name)(asking(body, owner, path=run))
        assert (refusal.value.status, refusal.value.code) == (404, "run_not_found")
    assert engine.cancelled == []
    await getattr(routes, name)(asking(body, "operator", path=path))


async def test_a_run_is_stopped_and_its_questions_are_answered(engine: RunningEngine, routes: RunRoutes) -> None:
    path = await begun(engine, routes)
    sent = engine.submissions[0]
    await routes.stop(asking({}, path=path))
    answered = await answer(await routes.approve(asking({"call_id": "c1", "choice": "once"}, path=path)))

    assert answered.json == {"run_id": path["run_id"], "call_id": "c1", "choice": "once"}
    assert engine.cancelled == [(sent.session_id, sent.turn_id), (sent.session_id, "c1", "once")]


@pytest.mark.parametrize(
    "body",
    [
        {"call_id": "", "choice": "once"},
        {"call_id": "c" * 257, "choice": "once"},
        {"call_id": "c\0", "choice": "once"},
        {"call_id": "c1", "choice": "perhaps"},
    ],
    ids=["no id", "long id", "nul", "no choice"],
)
async def test_an_answer_names_a_call_and_a_choice(
    engine: RunningEngine, routes: RunRoutes, body: dict[str, str]
) -> None:
    path = await begun(engine, routes)
    with pytest.raises(InvalidRequest):
        await routes.approve(asking(body, path=path))
    assert engine.cancelled == []
    await routes.approve(asking({"call_id": "c" * 256, "choice": "once"}, path=path))
    assert len(engine.cancelled) == 1


async def test_a_reader_goes_on_after_what_it_has_seen(engine: RunningEngine, routes: RunRoutes) -> None:
    path = await begun(engine, routes, token("a"), token("b"), done())
    whole = await frames(routes, path)
    _, second, last = whole

    assert [kind for _, kind in whole] == ["message.delta", "message.delta", "run.completed"]
    assert await frames(routes, path, "after=0") == [second, last]
    assert await frames(routes, path, last_event_id="1") == [last]
    assert await frames(routes, path, "after=0", last_event_id="1") == [last], "the header wins"


async def test_a_run_is_read_from_its_first_event_in_the_log_of_its_session(
    engine: RunningEngine, routes: RunRoutes
) -> None:
    page = Session("ses_1", "alice", Address("web"), "demo:own", "/")
    await engine.store.write(lambda tx: tx.sessions.create_if_absent(page))
    earlier = [NewEvent(event.kind, event.payload) for event in log(token("Hi"), done())]
    await engine.store.write(lambda tx: tx.events.append("ses_1", None, earlier), lock=["ses_1"])
    path = await begun(engine, routes, token("a"), done(), x_hermes_session_id="ses_1")

    await frames(routes, path)
    assert engine.read == ("ses_1", Position(len(earlier)), False)


async def test_an_output_needs_its_call(engine: RunningEngine, routes: RunRoutes) -> None:
    output = {"type": "function_call_output", "call_id": "c1", "output": "done"}
    with pytest.raises(ApiError) as refusal:
        await routes.create(asking(HELLO | {"input": [output]}))

    assert (refusal.value.code, refusal.value.param, engine.submissions) == ("call_not_found", "input", [])


async def test_a_response_is_no_run(engine: RunningEngine, routes: RunRoutes) -> None:
    await ResponseRoutes(taking_api(engine)).create(asking({"input": "Hello", "background": True}))
    path = {"run_id": engine.submissions[0].turn_id.replace("turn_", "run_")}

    for show in (routes.show, routes.events, routes.stop):
        with pytest.raises(ApiError) as refusal:
            await show(asking({}, path=path))
        assert refusal.value.code == "run_not_found"
    assert engine.cancelled == []


@pytest.mark.parametrize("made_up", ["run_a\0b", "run_", "x"])
async def test_what_is_no_id_of_a_run_is_none(routes: RunRoutes, made_up: str) -> None:
    with pytest.raises(ApiError) as refusal:
        await routes.show(asking({}, path={"run_id": made_up}))

    assert refusal.value.code == "run_not_found"


async def test_from_a_position_that_the_log_has_not_reached_a_reader_gets_everything(
    engine: RunningEngine, routes: RunRoutes
) -> None:
    path = await begun(engine, routes, token("a"), done())

    assert await frames(routes, path, "after=999.0.0") == await frames(routes, path)


async def test_what_is_no_position_is_refused(engine: RunningEngine, routes: RunRoutes) -> None:
    path = await begun(engine, routes, done())
    with pytest.raises(InvalidRequest):
        await frames(routes, path, "after=x")
