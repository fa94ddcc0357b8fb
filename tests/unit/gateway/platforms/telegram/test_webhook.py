"""Updates that Telegram posts to us: from whom they are taken, and that the webhook stays ours."""

import asyncio
from typing import Any

import pytest
from starlette.applications import Starlette

from tests.unit.gateway.asgi import Answer, request
from tests.unit.gateway.platforms.telegram.client import ScriptedClient
from wakeful.gateway.platforms.telegram.webhook import TelegramWebhook, WebhookGone
from wakeful.gateway.platforms.telegram.wire import TgUpdate, TgWebhookInfo
from wakeful.wire.errors import InvalidRequest

URL = "https://wakeful.example/platforms/telegram"


class Receiver:
    def __init__(self) -> None:
        self.taken: list[int] = []
        self.error: Exception | None = None

    async def take(self, update: TgUpdate) -> None:
        if self.error is not None:
            raise self.error
        self.taken.append(update.update_id)


async def post(webhook: TelegramWebhook, body: bytes = b'{"update_id": 5}', secret: str | None = "secret") -> Answer:
    headers = {} if secret is None else {"x-telegram-bot-api-secret-token": secret}
    app = Starlette(routes=[webhook.route()])
    return await request(app, "/platforms/telegram", method="POST", headers=headers, body=body)


def open_webhook() -> tuple[TelegramWebhook, Receiver]:
    webhook, receiver = TelegramWebhook("https://wakeful.example/", "secret"), Receiver()
    taking: Any = receiver
    webhook._receiver = taking
    return webhook, receiver


async def test_an_update_with_the_secret_is_taken() -> None:
    webhook, receiver = open_webhook()

    assert ((await post(webhook)).status, receiver.taken) == (200, [5])


@pytest.mark.parametrize("secret", [None, "", "Secret", "secret "])
async def test_without_the_secret_nothing_is_taken(secret: str | None) -> None:
    webhook, receiver = open_webhook()
    answer = await post(webhook, secret=secret)

    assert (answer.status, answer.json["error"]["code"], receiver.taken) == (401, "wrong_secret", [])


async def test_a_node_that_has_not_held_the_door_asks_telegram_to_come_again() -> None:
    answer = await post(TelegramWebhook("https://wakeful.example", "secret"))

    assert (answer.status, answer.headers["retry-after"]) == (503, "2")


async def test_what_is_no_update_or_was_not_taken_is_not_confirmed() -> None:
    webhook, receiver = open_webhook()
    with pytest.raises(InvalidRequest):
        await post(webhook, b"{")
    receiver.error = OSError("the store is away")
    with pytest.raises(OSError, match="away"):
        await post(webhook)

    assert receiver.taken == []


async def run(monkeypatch: pytest.MonkeyPatch, *infos: TgWebhookInfo) -> tuple[ScriptedClient, list[str], list[float]]:
    left, slept, stood = list(infos), list[float](), list[str]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    client: Any = ScriptedClient({"setWebhook": lambda _: True, "getWebhookInfo": lambda _: left.pop(0)})
    webhook, receiver = TelegramWebhook("https://wakeful.example/", "secret"), Receiver()
    taking: Any = receiver
    with pytest.raises(WebhookGone):
        await webhook.run(client, taking, lambda: stood.append("stood"))
    # Telegram may reach us though we cannot reach it.
    assert (await post(webhook)).status == 200
    return client, stood, slept


async def test_a_webhook_is_set_and_watched_until_another_program_changes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    client, stood, slept = await run(monkeypatch, TgWebhookInfo(URL), TgWebhookInfo(URL), TgWebhookInfo())

    set_up = {"url": URL, "secret_token": "secret", "allowed_updates": ("message", "callback_query")}
    assert client.asked("setWebhook") == [set_up]
    assert (stood, slept) == (["stood"], [60.0] * 3)
