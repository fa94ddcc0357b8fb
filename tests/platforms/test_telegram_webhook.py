"""Telegram posts to us: only with the secret, and answered only when the update is committed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from tests.platforms.recording_ingress import RecordingIngress
from tests.platforms.telegram_kit import open_platform, receiving
from tests.platforms.telegram_server import ANN, TelegramServer
from tests.unit.gateway.asgi import request, well
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.http import http_app
from wakeful.gateway.platforms.telegram import webhook
from wakeful.gateway.platforms.telegram.adapter import TelegramPlatform
from wakeful.gateway.platforms.telegram.webhook import TelegramWebhook, WebhookGone

SECRET = "a-secret_of-the-store"


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        yield server


@pytest.fixture
def ingress() -> RecordingIngress:
    return RecordingIngress()


def posting(webhook: TelegramWebhook) -> httpx.AsyncClient:
    app = Starlette(routes=[webhook.route()])
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="https://agent.example")


def webhook_platform(server: TelegramServer) -> AbstractAsyncContextManager[TelegramPlatform]:
    return open_platform(server, webhook=TelegramWebhook("https://agent.example/", SECRET))


@asynccontextmanager
async def connected(server: TelegramServer, ingress: RecordingIngress) -> AsyncIterator[httpx.AsyncClient]:
    webhook = TelegramWebhook("https://agent.example/", SECRET)
    async with (
        open_platform(server, webhook=webhook) as platform,
        receiving(platform, ingress),
        posting(webhook) as client,
    ):
        yield client


def an_update(text: str) -> dict[str, Any]:
    chat = {"id": 7, "type": "private"}
    return {"update_id": 1, "message": {"message_id": 3, "chat": chat, "from": ANN, "text": text}}


RIGHT = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
RIGHT_IN_ASGI = {"x-telegram-bot-api-secret-token": SECRET}


async def test_a_webhook_is_set_with_its_secret_and_takes_updates(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    async with connected(server, ingress) as client:
        assert server.webhook["url"] == "https://agent.example/platforms/telegram"
        assert server.webhook["secret_token"] == SECRET
        answer = await client.post("/platforms/telegram", json=an_update("Hello"), headers=RIGHT)

    assert (answer.status_code, ingress.texts) == (200, ["Hello"])
    assert server.called("getUpdates") == []


@pytest.mark.parametrize("headers", [{}, {b"X-Telegram-Bot-Api-Secret-Token": "wröng".encode()}])
async def test_a_webhook_refuses_a_wrong_secret(
    server: TelegramServer, ingress: RecordingIngress, headers: dict[bytes, bytes]
) -> None:
    async with connected(server, ingress) as client:
        answer = await client.post("/platforms/telegram", json=an_update("Hello"), headers=headers)

    assert (answer.status_code, ingress.reached) == (401, [])


@pytest.mark.parametrize(
    ("body", "status"), [(b"no JSON", 400), (b'{"update_id": "x"}', 400), (b" " * (1024 * 1024 + 1), 413)]
)
async def test_a_webhook_refuses_what_is_no_update(
    server: TelegramServer, ingress: RecordingIngress, body: bytes, status: int
) -> None:
    webhook = TelegramWebhook("https://agent.example/", SECRET)
    routes, keyring = [webhook.route()], Keyring({"operator": "key"})
    async with open_platform(server, webhook=webhook) as platform, receiving(platform, ingress):
        app = http_app(keyring, routes, health=well)
        answer = await request(app, "/platforms/telegram", method="POST", headers=RIGHT_IN_ASGI, body=body)

    assert (answer.status, ingress.reached) == (status, [])


async def test_a_webhook_answers_after_the_commit(server: TelegramServer, ingress: RecordingIngress) -> None:
    ingress.gates["7"] = asyncio.Event()
    async with connected(server, ingress) as client:
        posted = asyncio.create_task(client.post("/platforms/telegram", json=an_update("Hello"), headers=RIGHT))
        await ingress.until(lambda: ingress.reached)
        assert not posted.done()

        ingress.gates["7"].set()
        assert (await posted).status_code == 200

    assert ingress.texts == ["Hello"]


async def test_a_webhook_gives_back_what_was_not_taken(server: TelegramServer, ingress: RecordingIngress) -> None:
    ingress.failures = 1
    webhook = TelegramWebhook("https://agent.example/", SECRET)
    async with open_platform(server, webhook=webhook) as platform, posting(webhook) as client:
        early = await client.post("/platforms/telegram", json=an_update("Hello"), headers=RIGHT)
        async with receiving(platform, ingress):
            failed = await client.post("/platforms/telegram", json=an_update("Hello"), headers=RIGHT)
            again = await client.post("/platforms/telegram", json=an_update("Hello"), headers=RIGHT)

    assert (early.status_code, failed.status_code, again.status_code) == (503, 500, 200)
    assert ingress.texts == ["Hello"]


async def test_a_webhook_that_another_program_has_changed_ends_the_line(
    server: TelegramServer, ingress: RecordingIngress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook, "_CHECK_SECONDS", 0.01)
    async with webhook_platform(server) as platform:
        running = asyncio.create_task(platform.run(ingress, lambda name: None))
        await server.until(lambda: server.called("getWebhookInfo"))
        assert not running.done()

        server.webhook = {"url": "https://elsewhere.example"}
        with pytest.raises(WebhookGone):
            await running


async def test_the_check_says_when_telegram_cannot_post_to_us(server: TelegramServer) -> None:
    async with webhook_platform(server) as platform:
        [(_, other_state, other)] = await platform.check()
        server.webhook = {"url": "https://agent.example/platforms/telegram", "last_error_message": "Connection refused"}
        [(_, state, sentence)] = await platform.check()

    assert (other_state, state) == ("warn", "warn")
    assert "another address, or to none" in other
    assert "Connection refused" in sentence
