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
from wakeful.store.base import Store

HELLO = {"messages": [{"role": "user", "content": "Hello"}], "model": "demo:model"}


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
