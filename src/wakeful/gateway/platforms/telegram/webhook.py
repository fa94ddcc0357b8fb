"""Takes updates that Telegram posts to us."""

import asyncio
from collections.abc import Callable
from hmac import compare_digest

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.errors import WakefulError
from wakeful.gateway.platforms.telegram.client import TelegramClient
from wakeful.gateway.platforms.telegram.polling import read_update
from wakeful.gateway.platforms.telegram.receiver import Receiver
from wakeful.gateway.platforms.telegram.wire import ALLOWED_UPDATES, TgWebhookInfo
from wakeful.wire.body import whole_body
from wakeful.wire.errors import InvalidRequest, error_response

PATH = "/platforms/telegram"
_SECRET_HEADER = "x-telegram-bot-api-secret-token"
_LARGEST_BYTES = 1024 * 1024
# How often it is checked that Telegram still posts to us.
_CHECK_SECONDS = 60.0


class WebhookGone(WakefulError):
    """Another program has changed the webhook of this bot: stop it, or give one of them a bot of its own."""


class TelegramWebhook:
    def __init__(self, public_url: str, secret: str) -> None:
        """`secret` is 1 to 256 letters, digits, `_` and `-`: Telegram sends it with every update."""
        self._url = f"{public_url.rstrip('/')}{PATH}"
        self._secret = secret.encode()
        # None until this node has held the door.
        self._receiver: Receiver | None = None

    def route(self) -> Route:
        """Return what Telegram posts to. It needs no key: Telegram sends the secret."""
        return Route(PATH, self._take, methods=["POST"])

    async def run(self, client: TelegramClient, receiver: Receiver, connected: Callable[[], None]) -> None:
        """Receive until cancelled. Raises as `TelegramClient.call` does, and WebhookGone."""
        # It stays when this ends: Telegram may reach us while we cannot reach it.
        self._receiver = receiver
        secret = self._secret.decode()
        await client.call("setWebhook", bool, url=self._url, secret_token=secret, allowed_updates=ALLOWED_UPDATES)
        connected()
        while True:
            await asyncio.sleep(_CHECK_SECONDS)
            if not self.is_set(await client.call("getWebhookInfo", TgWebhookInfo)):
                raise WebhookGone

    def is_set(self, info: TgWebhookInfo) -> bool:
        return info.url == self._url

    async def _take(self, request: Request) -> Response:
        given = request.headers.get(_SECRET_HEADER, "").encode()
        if not compare_digest(given, self._secret):
            return error_response(401, "wrong_secret", "This address is for Telegram: the secret token is wrong.")
        if self._receiver is None:
            message = "This server does not receive messages of Telegram just now: send it again later."
            return error_response(503, "not_connected", message, {"retry-after": "2"})
        async with whole_body(request, _LARGEST_BYTES) as body:
            try:
                update = read_update(body)
            except msgspec.DecodeError as error:
                raise InvalidRequest("The body is no update of Telegram.") from error
        # What it raises is answered with a 5xx, and Telegram sends the update again.
        await self._receiver.take(update)
        return Response()
