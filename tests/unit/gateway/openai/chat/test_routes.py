"""Chat completions: a turn lives as long as its client, and a part of an answer never looks whole."""

import asyncio
from typing import Any

import orjson
import pytest
from starlette.requests import ClientDisconnect, Request

from tests.patience import PATIENCE
from tests.unit.gateway.openai.kit import done, failed, log, token
from tests.unit.gateway.openai.taking import TakingEngine, asking, taking_api
from wakeful.errors import EngineStopping
from wakeful.gateway.openai.chat.routes import ChatCompletionRoutes
from wakeful.gateway.openai.errors import ApiError
from wakeful.model.opening import Closing
from wakeful.model.session import Address, Session
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Store

HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "Hello"}], "model": "demo:model"}


@pytest.fixture
def engine(store: Store) -> TakingEngine:
    return TakingEngine(store, pages=[[*log(token("Hi"), done())]])


async def answer(engine: TakingEngine, request: Request) -> tuple[int, dict[str, str], bytes]:
    """Return the status, the headers and the body; a stream is read to its end."""
    given = await ChatCompletionRoutes(taking_api(engine)).create(request)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    left = asyncio.Event()

    async def receive() -> Any:
        await left.wait()
        return {"type": "http.disconnect"}

    async def send_and_leave(message: Any) -> None:
        await send(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            left.set()

    async with asyncio.timeout(PATIENCE):
        await given(request.scope, receive, send_and_leave)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent)


def only(engine: TakingEngine) -> tuple[str, str]:
    (sent,) = engine.submissions
    return sent.session_id, sent.turn_id


async def test_an_answer_names_its_session_and_nothing_is_cancelled(engine: TakingEngine) -> None:
    status, headers, body = await answer(engine, asking(HELLO))

    assert status == 200
    assert orjson.loads(body)["choices"][0]["message"]["content"] == "Hi"
    assert headers["x-hermes-session-id"] == engine.submissions[0].session_id
    assert (engine.cancelled, engine.followers, engine.left) == ([], 1, 1)


async def test_a_model_that_fails_is_an_error_with_its_status(engine: TakingEngine) -> None:
    engine.pages = [[*log(failed())]]
    status, headers, body = await answer(engine, asking(HELLO))

    assert (status, orjson.loads(body)["error"]["code"]) == (502, "model_unavailable")
    assert headers["x-hermes-session-id"] == engine.submissions[0].session_id


async def test_a_client_that_leaves_takes_its_turn_with_it(engine: TakingEngine) -> None:
    engine.pages, engine.is_endless = [[*log(token("Hi"))]], True
    left = asyncio.Event()
    left.set()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(ClientDisconnect):
            await ChatCompletionRoutes(taking_api(engine)).create(asking(HELLO, left=left))
        while engine.left < engine.followers:  # noqa: ASYNC110 - the end of a generator has no event
            await asyncio.sleep(0)

    assert engine.cancelled == [only(engine)]


async def test_an_answer_that_breaks_off_with_the_server_is_cancelled_and_asked_for_again(
    engine: TakingEngine,
) -> None:
    engine.pages = [[*log(token("Hi"))], []]
    with pytest.raises(EngineStopping, match="send the request again"):
        await answer(engine, asking(HELLO))

    assert engine.cancelled == [only(engine)]


@pytest.mark.parametrize(("is_whole", "cancels"), [(True, 0), (False, 1)])
async def test_a_stream_that_breaks_off_is_cancelled_and_says_so(
    engine: TakingEngine, is_whole: bool, cancels: int
) -> None:
    engine.pages = [[*log(token("Hi"), *([done()] if is_whole else []))], []]
    status, headers, body = await answer(engine, asking(HELLO | {"stream": True}))

    assert (status, b"[DONE]" in body) == (200, is_whole)
    assert headers["x-hermes-session-id"] == engine.submissions[0].session_id
    assert engine.cancelled == [only(engine)] * cancels
    assert (b'"error"' in body) == (not is_whole)


async def test_a_model_that_nobody_has_is_not_found(engine: TakingEngine) -> None:
    with pytest.raises(ApiError) as refusal:
        await answer(engine, asking(HELLO | {"model": "none"}))

    assert (refusal.value.status, refusal.value.code, engine.submissions) == (404, "model_not_found", [])


async def test_an_output_needs_its_call(engine: TakingEngine) -> None:
    output = {"role": "tool", "tool_call_id": "c1", "content": "done"}
    with pytest.raises(ApiError) as refusal:
        await answer(engine, asking(HELLO | {"messages": [*HELLO["messages"], output]}))

    assert (refusal.value.code, refusal.value.param, engine.submissions) == ("call_not_found", "messages", [])


@pytest.mark.parametrize(
    ("asked", "named"), [({"model": "demo:model"}, "demo:model"), ({}, "wakeful")], ids=["named", "default"]
)
async def test_an_answer_names_its_turn_and_the_model_that_was_asked_for(
    engine: TakingEngine, asked: dict[str, Any], named: str
) -> None:
    _, _, body = await answer(engine, asking({"messages": HELLO["messages"]} | asked))

    found = orjson.loads(body)
    assert (found["id"], found["model"]) == (engine.submissions[0].turn_id.replace("turn_", "chatcmpl-"), named)


async def test_a_session_of_the_page_goes_on_from_its_last_turn_with_its_model(engine: TakingEngine) -> None:
    page = Session("ses_1", "alice", Address("web"), "demo:own", "/")
    await engine.store.write(lambda tx: tx.sessions.create_if_absent(page))
    await answer(engine, asking({"messages": HELLO["messages"]}, x_hermes_session_id="ses_1"))

    (sent,) = engine.submissions
    assert (sent.session_id, sent.model, sent.from_checkpoint) == ("ses_1", "demo:own", False)


async def test_without_a_session_the_request_has_the_whole_conversation(engine: TakingEngine) -> None:
    said = [{"role": role, "content": role} for role in ("user", "assistant", "user")]
    await answer(engine, asking({"messages": said}))

    (sent,) = engine.submissions
    assert ([given["role"] for given in sent.inputs], sent.from_checkpoint) == (["user", "assistant", "user"], True)


async def test_in_a_session_that_goes_on_only_what_is_new_is_taken(engine: TakingEngine) -> None:
    said = [{"role": role, "content": role} for role in ("user", "assistant", "user")]
    await answer(engine, asking({"messages": said[:1]}, x_hermes_session_key="kitchen"))
    turn = await engine.store.read(lambda tx: tx.turns.get(engine.submissions[0].turn_id))
    assert turn is not None
    closing = Closing(turn, Outcome(TurnStatus.DONE), (), checkpoint=turn.id)
    await engine.store.write(lambda tx: tx.close(closing), lock=[turn.session_id])
    await answer(engine, asking({"messages": said}, x_hermes_session_key="kitchen"))

    sent = engine.submissions[1]
    assert (sent.session_id, [given["role"] for given in sent.inputs]) == (turn.session_id, ["user"])
