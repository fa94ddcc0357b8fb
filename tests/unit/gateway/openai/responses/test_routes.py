"""Responses and their idempotency keys: who gets which, and what a client is told whose server stops."""

import asyncio
import time
from typing import Any

import orjson
import pytest
from starlette.requests import Request
from starlette.responses import Response

from tests.unit.gateway.openai.kit import done, log, token
from tests.unit.gateway.openai.taking import TakingEngine, asking, taking_api
from wakeful.gateway.openai.api import response_id
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.responses.routes import ResponseRoutes
from wakeful.gateway.openai.runs.routes import RunRoutes
from wakeful.model.api.conversation import IdempotencyKey
from wakeful.model.opening import Closing
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Store
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.sse import EventStream

HELLO = {"input": "Hello", "model": "demo:model"}
BACKGROUND = HELLO | {"background": True}


@pytest.fixture
def engine(store: Store) -> TakingEngine:
    return TakingEngine(store, pages=[[*log(token("Hi"), done())]])


@pytest.fixture
def routes(engine: TakingEngine) -> ResponseRoutes:
    return ResponseRoutes(taking_api(engine))


async def created(routes: ResponseRoutes, request: Request) -> dict[str, Any]:
    answer = await routes.create(request)
    assert isinstance(answer, Response)
    found: dict[str, Any] = orjson.loads(answer.body)
    return found


async def streamed(answer: Response | EventStream) -> list[bytes]:
    assert isinstance(answer, EventStream)
    return [piece async for piece in answer._frames]


def types_in(pieces: list[bytes]) -> list[str]:
    lines = b"".join(pieces).decode().split("\n")
    return [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]


async def refusal_of(work: Any) -> ApiError:
    with pytest.raises(ApiError) as raised:
        await work
    return raised.value


async def end(engine: TakingEngine) -> None:
    """End the newest turn in the store."""
    sent = engine.submissions[-1]
    turn = await engine.store.read(lambda tx: tx.turns.get(sent.turn_id))
    assert turn is not None
    closing = Closing(turn, Outcome(TurnStatus.DONE), ())
    await engine.store.write(lambda tx: tx.close(closing), lock=[sent.session_id])


async def test_requests_with_one_key_and_body_are_one_response_and_the_second_does_not_count(
    engine: TakingEngine, routes: ResponseRoutes
) -> None:
    first, again = asking(BACKGROUND, idempotency_key="k"), asking(BACKGROUND, idempotency_key="k")
    made, found = await created(routes, first), await created(routes, again)

    assert made["id"] == found["id"] == response_id(engine.submissions[0].turn_id)
    assert len(engine.submissions) == 1
    assert (first.state.slot.steps, again.state.slot.steps) == (["taken"], [])


async def test_without_a_key_every_request_is_a_response(engine: TakingEngine, routes: ResponseRoutes) -> None:
    for _ in range(2):
        await created(routes, asking(BACKGROUND))

    assert len(engine.submissions) == 2


async def test_a_key_is_its_principals_own(engine: TakingEngine, routes: ResponseRoutes) -> None:
    hers = await created(routes, asking(BACKGROUND, idempotency_key="k"))
    his = await created(routes, asking(BACKGROUND | {"input": "other"}, "bob", idempotency_key="k"))

    assert hers["id"] != his["id"]


async def test_another_body_with_the_same_key_is_a_conflict(engine: TakingEngine, routes: ResponseRoutes) -> None:
    await created(routes, asking(BACKGROUND, idempotency_key="k"))
    refusal = await refusal_of(created(routes, asking(BACKGROUND | {"input": "other"}, idempotency_key="k")))

    assert (refusal.status, refusal.code) == (409, "idempotency_key_conflict")
    assert refusal.headers == {"x-should-retry": "false"}


async def test_a_request_on_another_node_that_used_the_key_first_is_joined(
    engine: TakingEngine, routes: ResponseRoutes
) -> None:
    other = ResponseRoutes(taking_api(engine))

    async def meanwhile() -> None:
        await created(other, asking(BACKGROUND, idempotency_key="k"))

    engine.meets = [meanwhile]
    request = asking(BACKGROUND, idempotency_key="k")
    found = await created(routes, request)

    assert [response_id(one.turn_id) for one in engine.submissions] == [found["id"]]
    assert request.state.slot.steps == ["taken", "given back"]


async def test_another_body_on_another_node_at_the_same_time_is_a_conflict(
    engine: TakingEngine, routes: ResponseRoutes
) -> None:
    await created(routes, asking(BACKGROUND))

    async def meanwhile() -> None:
        other = IdempotencyKey("alice", "k", "of another body", engine.submissions[-1].turn_id, time.time())
        await engine.store.write(lambda tx: tx.idempotency_keys.reserve(other))

    engine.meets = [meanwhile]
    refusal = await refusal_of(created(routes, asking(BACKGROUND, idempotency_key="k")))

    assert (refusal.code, len(engine.submissions)) == ("idempotency_key_conflict", 1)


async def test_a_key_in_a_busy_conversation_is_refused_and_not_used_up(
    engine: TakingEngine, routes: ResponseRoutes
) -> None:
    named = BACKGROUND | {"conversation": "plans"}
    await created(routes, asking(named))
    refusal = await refusal_of(created(routes, asking(named, idempotency_key="k")))

    assert refusal.code == "conversation_response_not_completed"
    assert await engine.store.read(lambda tx: tx.idempotency_keys.find("alice", "k")) is None


async def test_a_key_needs_a_stored_response(engine: TakingEngine, routes: ResponseRoutes) -> None:
    refusal = await refusal_of(created(routes, asking(HELLO | {"store": False}, idempotency_key="k")))

    assert (refusal.status, refusal.code, engine.submissions) == (400, "idempotency_requires_store", [])


async def test_a_key_finds_its_response_whatever_the_order_of_the_fields(
    engine: TakingEngine, routes: ResponseRoutes
) -> None:
    made = await created(routes, asking(BACKGROUND, idempotency_key="k"))
    turned = dict(reversed(BACKGROUND.items()))

    assert (await created(routes, asking(turned, idempotency_key="k")))["id"] == made["id"]


async def test_a_key_has_at_most_255_characters(engine: TakingEngine, routes: ResponseRoutes) -> None:
    await created(routes, asking(BACKGROUND, idempotency_key="k" * 255))
    with pytest.raises(InvalidRequest, match="at most 255 characters"):
        await created(routes, asking(BACKGROUND, idempotency_key="k" * 256))

    assert len(engine.submissions) == 1


@pytest.mark.parametrize("headers", [{}, {"idempotency_key": "k"}], ids=["without a key", "with a key"])
async def test_an_output_needs_its_call(engine: TakingEngine, routes: ResponseRoutes, headers: dict[str, Any]) -> None:
    output = {"type": "function_call_output", "call_id": "c1", "output": "done"}
    call = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    refusal = await refusal_of(created(routes, asking(BACKGROUND | {"input": [output]}, **headers)))

    assert (refusal.status, refusal.code, refusal.param) == (400, "call_not_found", "input")
    assert engine.submissions == []
    await created(routes, asking(BACKGROUND | {"input": [call, output]}, **headers))
    assert [given["role"] for given in engine.submissions[0].inputs] == ["assistant", "tool"]


@pytest.mark.parametrize("headers", [{}, {"idempotency_key": "k"}], ids=["without a key", "with a key"])
async def test_a_new_name_is_a_conversation_that_is_made_with_the_response(
    engine: TakingEngine, routes: ResponseRoutes, headers: dict[str, Any]
) -> None:
    made = await created(routes, asking(BACKGROUND | {"conversation": "plans"}, **headers))

    found = await engine.store.read(lambda tx: tx.conversations.named("alice", "plans"))
    assert found is not None
    assert made["conversation"] == {"id": found.id}
    assert found.session_id == engine.submissions[0].session_id


async def test_a_model_that_nobody_has_is_refused(engine: TakingEngine, routes: ResponseRoutes) -> None:
    refusal = await refusal_of(created(routes, asking(BACKGROUND | {"model": "none"})))

    assert (refusal.status, refusal.code, engine.submissions) == (400, "model_not_found", [])


async def test_a_response_in_the_background_is_shown_as_it_is_by_now(
    engine: TakingEngine, routes: ResponseRoutes
) -> None:
    engine.pages, engine.is_endless = [], True
    made = await created(routes, asking(BACKGROUND))
    engine.pages = [[*log(token("Hi"))]]
    shown = await routes.show(asking({}, path={"response_id": made["id"]}))

    assert isinstance(shown, Response)
    assert (made["status"], made["output"], engine.followers) == ("queued", [], 0)
    assert orjson.loads(shown.body)["output"][0]["content"][0]["text"] == "Hi"


@pytest.mark.parametrize(("query", "first"), [("", 0), ("&starting_after=0", 1), ("&starting_after=2", 3)])
async def test_a_stream_is_read_again_from_the_first_event_or_after_a_number(
    engine: TakingEngine, routes: ResponseRoutes, query: str, first: int
) -> None:
    path = {"response_id": (await created(routes, asking(BACKGROUND)))["id"]}
    pieces = await streamed(await routes.show(asking({}, path=path, query=f"stream=true{query}")))

    data = [line.removeprefix("data: ") for line in b"".join(pieces).decode().split("\n") if line.startswith("data: ")]
    assert orjson.loads(data[0])["sequence_number"] == first
    assert data[-1] == "[DONE]"


@pytest.mark.parametrize("number", ["-1", str(10**15), "x"])
async def test_only_the_number_of_an_event_may_be_started_after(
    engine: TakingEngine, routes: ResponseRoutes, number: str
) -> None:
    path = {"response_id": (await created(routes, asking(BACKGROUND)))["id"]}

    with pytest.raises(InvalidRequest, match="must be the number of an event"):
        await routes.show(asking({}, path=path, query=f"stream=true&starting_after={number}"))
    await routes.show(asking({}, path=path, query=f"stream=true&starting_after={10**15 - 1}"))


async def test_a_run_is_no_response(engine: TakingEngine, routes: ResponseRoutes) -> None:
    await RunRoutes(taking_api(engine)).create(asking({"input": "Hello"}))
    path = {"response_id": response_id(engine.submissions[0].turn_id)}

    for show in (routes.show, routes.cancel, routes.delete, routes.input_items):
        assert (await refusal_of(show(asking({}, path=path)))).code == "response_not_found"
    assert engine.cancelled == []


async def test_a_response_is_whole_when_it_comes(engine: TakingEngine, routes: ResponseRoutes) -> None:
    found = await created(routes, asking(HELLO))

    assert (found["status"], found["output"][0]["content"][0]["text"]) == ("completed", "Hi")
    assert engine.left == engine.followers == 1


@pytest.mark.parametrize(
    ("headers", "retries", "advice"),
    [({}, "false", "shows it"), ({"idempotency_key": "k"}, "true", "send the same request again")],
)
async def test_a_response_that_breaks_off_with_the_server_says_how_to_get_it(
    engine: TakingEngine, routes: ResponseRoutes, headers: dict[str, Any], retries: str, advice: str
) -> None:
    engine.pages = [[*log(token("Hi"))], []]
    refusal = await refusal_of(created(routes, asking(HELLO, **headers)))

    assert (refusal.status, refusal.code) == (503, "stopping")
    assert refusal.headers == {"retry-after": "2", "x-should-retry": retries}
    assert advice in str(refusal)
    assert response_id(engine.submissions[0].turn_id) in str(refusal)


async def test_a_stream_that_is_whole_says_so_at_its_end(engine: TakingEngine, routes: ResponseRoutes) -> None:
    pieces = await streamed(await routes.create(asking(HELLO | {"stream": True})))

    assert pieces[-1] == b"data: [DONE]\n\n"
    assert types_in(pieces)[-1] == "response.completed"
    engine.pages = [[*log(token("Hi"))]]
    pieces = await streamed(await routes.create(asking(HELLO | {"stream": True})))
    assert types_in(pieces)[-1] == "response.output_text.delta", "one that breaks off does not"
    assert b"[DONE]" not in b"".join(pieces)


@pytest.mark.parametrize(
    ("headers", "has_ended", "snapshots"),
    [({}, False, 1), ({}, True, 0), ({"x_stainless_lang": "js"}, False, 0), ({"x_stainless_lang": "python"}, False, 1)],
)
async def test_who_joins_a_running_stream_gets_one_snapshot_when_it_has_caught_up(
    engine: TakingEngine, routes: ResponseRoutes, headers: dict[str, Any], has_ended: bool, snapshots: int
) -> None:
    whole = log(token("Hi"), done())
    engine.pages = [[*whole[:3]], [], [], [*whole[3:]]]
    body = HELLO | {"stream": True}
    first = types_in(await streamed(await routes.create(asking(body, idempotency_key="k"))))
    if has_ended:
        await end(engine)
    again = types_in(await streamed(await routes.create(asking(body, idempotency_key="k", **headers))))

    extra = [kind for kind in again if kind not in first]
    assert len(extra) == snapshots
    assert [kind for kind in again if kind in first] == first
    assert again[-1] == "response.completed", "the snapshot comes before what follows"


async def test_a_response_of_another_principal_another_kind_or_deleted_is_none(
    engine: TakingEngine, routes: ResponseRoutes
) -> None:
    made = await created(routes, asking(BACKGROUND))
    path = {"response_id": made["id"]}
    for show in (routes.show, routes.cancel, routes.delete, routes.input_items):
        refusal = await refusal_of(show(asking({}, "bob", path=path)))
        assert (refusal.status, refusal.code) == (404, "response_not_found")
    assert engine.cancelled == []
    for owner in ("alice", "operator"):
        await routes.show(asking({}, owner, path=path))
    await routes.delete(asking({}, path=path))
    assert (await refusal_of(routes.show(asking({}, path=path)))).code == "response_not_found"


async def test_a_running_response_is_stopped_when_it_is_cancelled_or_deleted_and_an_ended_one_is_not(
    engine: TakingEngine, routes: ResponseRoutes
) -> None:
    path = {"response_id": (await created(routes, asking(BACKGROUND)))["id"]}
    sent = engine.submissions[0]
    await routes.cancel(asking({}, path=path))
    await routes.delete(asking({}, path=path))
    assert engine.cancelled == [(sent.session_id, sent.turn_id)] * 2

    path = {"response_id": (await created(routes, asking(BACKGROUND)))["id"]}
    await end(engine)
    await routes.cancel(asking({}, path=path))
    await routes.delete(asking({}, path=path))
    assert len(engine.cancelled) == 2


async def test_many_requests_with_one_key_at_once_begin_one_turn(engine: TakingEngine, routes: ResponseRoutes) -> None:
    requests = [asking(BACKGROUND, idempotency_key="k") for _ in range(4)]
    found = await asyncio.gather(*(created(routes, request) for request in requests))

    assert (len({one["id"] for one in found}), len(engine.submissions)) == (1, 1)
    assert sum(request.state.slot.steps == ["taken"] for request in requests) == 1
