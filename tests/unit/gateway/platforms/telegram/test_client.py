"""Requests to the Bot API: what an answer, or none, says about whether they were acted on. And files."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from tests.unit.gateway.webhooks.kit import Receiver
from wakeful.gateway.messaging.platform import NotTaken, Refused, Unanswered
from wakeful.gateway.platforms.telegram.client import TelegramClient, TelegramRefusal
from wakeful.gateway.platforms.telegram.wire import TgSent

SENT = {"ok": True, "result": {"message_id": 3}}


@asynccontextmanager
async def asking(*answers: tuple[int, Any], url: str = "") -> AsyncIterator[TelegramClient]:
    """Yield a client whose requests get these answers, a status and a body each; a status of 0 cuts the line."""
    left = list(answers)

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        status, body = left.pop(0)
        if status == 0:
            assert request.transport is not None
            request.transport.abort()
        return web.Response(status=status or 200, body=body if isinstance(body, bytes) else orjson.dumps(body))

    async with Receiver(answer=answer).serving() as server:
        client = TelegramClient("token", url or f"http://127.0.0.1:{server.port}/", timeout=10.0)
        try:
            yield client
        finally:
            await client.close()


def refusal(code: int, **more: Any) -> dict[str, Any]:
    return {"ok": False, "error_code": code, "description": "No"} | more


async def test_an_answer_is_read() -> None:
    async with asking((200, SENT)) as client:
        assert await client.call("sendMessage", TgSent) == TgSent(3)


@pytest.mark.parametrize(
    "answer",
    [(500, SENT), (502, b"<html>"), (200, b"<html>"), (200, {"ok": True, "result": 5}), (200, refusal(500)), (0, b"")],
)
async def test_what_telegram_may_have_done_is_not_known(answer: tuple[int, Any]) -> None:
    async with asking(answer) as client:
        with pytest.raises(Unanswered):
            await client.call("sendMessage", TgSent)


@pytest.mark.parametrize(
    ("answer", "code", "migrated_to"),
    [
        ((400, refusal(400)), 400, None),
        ((400, refusal(0)), 400, None),
        ((400, refusal(400, parameters={"migrate_to_chat_id": -100})), 400, -100),
        ((404, b"<html>"), 404, None),
        ((300, b"<html>"), 300, None),
        ((200, refusal(499)), 499, None),
    ],
)
async def test_a_refusal_says_its_code(answer: tuple[int, Any], code: int, migrated_to: int | None) -> None:
    async with asking(answer) as client:
        with pytest.raises(TelegramRefusal) as caught:
            await client.call("sendMessage", TgSent)
    assert (caught.value.code, caught.value.migrated_to) == (code, migrated_to)


async def test_a_limit_says_how_long_to_wait() -> None:
    async with asking((429, refusal(429, parameters={"retry_after": 7}))) as client:
        with pytest.raises(NotTaken) as caught:
            await client.call("sendMessage", TgSent)
    assert caught.value.seconds == 7.0


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "no address"])
async def test_a_server_that_is_not_there_has_taken_nothing(url: str) -> None:
    async with asking(url=url) as client:
        with pytest.raises(NotTaken, match="cannot be reached"):
            await client.call("sendMessage", TgSent)


def at(path: str) -> tuple[int, Any]:
    return 200, {"ok": True, "result": {"file_path": path}}


async def read(client: TelegramClient) -> bytes:
    return b"".join([piece async for piece in client.download("file_1")])


async def test_a_file_is_fetched_from_the_server_or_its_disk(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"local")
    async with asking(at("documents/a.txt"), (200, b"content"), at(str(tmp_path / "a.txt"))) as client:
        assert [await read(client), await read(client)] == [b"content", b"local"]


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ([(400, refusal(400))], Refused),
        ([at("a.txt"), (400, b"")], Refused),
        ([at("a.txt"), (499, b"")], Refused),
        ([at("a.txt"), (500, b"")], Unanswered),
        ([at("a.txt"), (302, b"")], Unanswered),
        ([at("a.txt"), (0, b"")], Unanswered),
        ([at("/nowhere/a.txt")], Refused),
    ],
)
async def test_a_file_that_is_not_handed_out_is_refused_or_asked_for_again(
    answers: list[tuple[int, Any]], error: type[Exception]
) -> None:
    async with asking(*answers) as client:
        with pytest.raises(error):
            await read(client)


async def test_a_file_is_sent_with_its_name_and_its_parameters(tmp_path: Path) -> None:
    path = tmp_path / "plot.png"
    path.write_bytes(b"picture")

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=orjson.dumps(SENT))

    async with Receiver(answer=answer).serving() as server:
        client = TelegramClient("token", f"http://127.0.0.1:{server.port}", timeout=10.0)
        try:
            sent = await client.upload("sendDocument", TgSent, "document", path, chat_id=7, caption="a plot")
        finally:
            await client.close()

    assert sent == TgSent(3)
    (visit,) = server.visits
    fields = visit.body.split(visit.headers["content-type"].partition("boundary=")[2].encode())[1:-1]
    for field, (name, content) in zip(
        fields, [("chat_id", "7"), ("caption", "a plot"), ("document", "picture")], strict=True
    ):
        assert f'name="{name}"'.encode() in field
        assert f"\r\n\r\n{content}\r\n".encode() in field
    assert b'filename="plot.png"' in fields[2]


async def test_a_client_that_was_closed_can_ask_again() -> None:
    async with asking((200, SENT), (200, SENT)) as client:
        for _ in range(2):
            await client.call("sendMessage", TgSent)
            session = client._session
            assert session is not None
            await client.close()
            assert session.closed
