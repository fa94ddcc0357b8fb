"""Frames of a stream bypass the middleware that has seen its head."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from wakeful.cli.server.bare_send import OfferBareSend
from wakeful.wire.sse import EventStream, StreamSettings


async def test_a_layer_sees_the_head_of_a_stream_and_the_server_all_of_it() -> None:
    seen: list[str] = []
    sent: list[Message] = []
    ended = asyncio.Event()
    scope: dict[str, Any] = {"type": "http", "method": "GET"}

    async def frames() -> AsyncGenerator[bytes, None]:
        yield b"one"
        yield b"two"

    async def layer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_seen(message: Message) -> None:
            seen.append(message["type"])
            await send({**message, "headers": [(b"added", b"here")]})

        await EventStream(frames(), StreamSettings())(scope, receive, send_seen)

    async def receive() -> Message:
        await ended.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)
        if message.get("body") == b"":
            ended.set()

    await OfferBareSend(layer)(scope, receive, send)

    assert seen == ["http.response.start"]
    assert sent[0]["headers"] == [(b"added", b"here")]
    assert [message["body"] for message in sent[1:]] == [b"one", b"two", b""]
    # Nothing of the request keeps its connection alive.
    assert scope["extensions"] == {}
