"""Telegram as a platform of the messaging doors."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from msgspec import Raw

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.needs import PlatformNeeds, Recall
from wakeful.gateway.messaging.platform import (
    Ingress,
    LookedUp,
    Message,
    NotTaken,
    Refused,
    TokenRefused,
    Unanswered,
)
from wakeful.gateway.messaging.settings import AdapterSettings
from wakeful.gateway.platforms.telegram import outgoing
from wakeful.gateway.platforms.telegram.client import TelegramClient, TelegramRefusal
from wakeful.gateway.platforms.telegram.ids import KnownIds
from wakeful.gateway.platforms.telegram.polling import Polling
from wakeful.gateway.platforms.telegram.reader import UpdateReader
from wakeful.gateway.platforms.telegram.receiver import Receiver
from wakeful.gateway.platforms.telegram.search import UNKNOWABLE, LostMessageSearch
from wakeful.gateway.platforms.telegram.webhook import TelegramWebhook
from wakeful.gateway.platforms.telegram.wire import TgSent, TgUser, TgWebhookInfo
from wakeful.model.messaging.post import Post
from wakeful.model.session import Address

logger = logging.getLogger(__name__)


class OtherReceiver(WakefulError):
    """Another program receives the messages of this bot: stop it, or give one of them a bot of its own."""


@dataclass(frozen=True, slots=True)
class TelegramSettings(AdapterSettings):
    # How long Telegram may wait for an update before it answers a poll.
    poll_seconds: float = 50.0


class TelegramPlatform:
    name = "telegram"
    # Telegram shows it for 5 s.
    typing_seconds = 4.5

    def __init__(
        self,
        settings: TelegramSettings,
        commands: Sequence[tuple[str, str]] = (),
        *,
        recall: Recall,
        webhook: TelegramWebhook | None = None,
    ) -> None:
        """`commands`: names without the slash, each with a few words about it. Without a webhook it polls."""
        self._settings = settings
        self._commands = commands
        self._recall = recall
        self._webhook = webhook
        self._client = TelegramClient(settings.access.token, settings.access.api_url, timeout=settings.timeout)
        self._ids = KnownIds()
        self._has_recalled = False
        # Groups that have become supergroups, as a send has found out: the old id and the new one.
        self._moved: dict[str, str] = {}
        # Posts to an old id that were sent to the new one.
        self._sent_after_move: set[str] = set()

    async def run(self, ingress: Ingress, connected: Callable[[str], None]) -> None:
        # Another node may have held the door since the last time.
        await self._remember()
        try:
            bot = await self._client.call("getMe", TgUser)
            await self._offer_commands()
            await self._receive(bot, ingress, partial(connected, bot.username))
        except TelegramRefusal as refusal:
            raise _broken_line(refusal) from None

    async def send(self, post: Post, message: Message) -> str:
        chat_id, has_moved = self._chat_id(post.address), post.address.chat_id in self._moved
        params = {
            **outgoing.target(chat_id, post.address.thread_id),
            # The messages of a group that has moved have other ids now.
            **outgoing.anchor_params("" if has_moved else message.reply_to),
            **outgoing.button_params(message.buttons),
        }
        try:
            sent = await self._send(message, params)
        except TelegramRefusal as refusal:
            raise self._meaning(refusal, post, message) from None
        self._ids.note(chat_id, sent.message_id)
        if has_moved:
            self._sent_after_move.add(post.id)
        return str(sent.message_id)

    async def edit(self, post: Post, message: Message) -> None:
        if post.address.chat_id in self._moved and post.id not in self._sent_after_move:
            raise Refused("The group has become a supergroup: what was sent before cannot be changed.")
        params = {
            **outgoing.target(self._chat_id(post.address)),
            "message_id": outgoing.number_or_name(post.message_id),
            **outgoing.button_params(message.buttons),
        }
        if message.file is None:
            method, words = "editMessageText", outgoing.text_params(message)
        else:
            method, words = "editMessageCaption", outgoing.caption_params(message)
        try:
            await self._client.call(method, Raw, **params, **words)
        except TelegramRefusal as refusal:
            if not refusal.says(*outgoing.NOT_MODIFIED):
                raise self._meaning(refusal, post, message) from None

    async def look_up(self, post: Post, message: Message) -> LookedUp:
        if not self._has_recalled:
            await self._remember()
        chat_id, highest = post.address.chat_id, post.highest_id
        if not highest or chat_id in self._moved:
            return UNKNOWABLE
        return await LostMessageSearch(self._client, self._ids).find(chat_id, highest, message)

    def lane(self, address: Address) -> str:
        # The topics of a forum count their messages together.
        return self._chat_id(address)

    async def highest_id(self, address: Address) -> int:
        if not self._has_recalled:
            # A process that has just begun may send before it receives.
            await self._remember()
        return self._ids.highest(self._chat_id(address))

    async def show_typing(self, address: Address, *, is_over: bool = False) -> None:
        # The answer ends it, and so does time.
        if not is_over:
            where = outgoing.target(self._chat_id(address), address.thread_id)
            await self._client.call("sendChatAction", bool, **where, action="typing")

    async def check(self) -> list[tuple[str, str, str]]:
        try:
            bot = await self._client.call("getMe", TgUser)
            info = await self._client.call("getWebhookInfo", TgWebhookInfo)
        except TelegramRefusal as refusal:
            return [(self.name, "fail", str(_broken_line(refusal)))]
        except (NotTaken, Unanswered) as error:
            return [(self.name, "fail", str(error))]
        if warning := self._warning(info):
            return [(self.name, "warn", warning)]
        hears = "every message" if bot.can_read_all_group_messages else "mentions, replies and commands only"
        return [(self.name, "ok", f"@{bot.username}; in groups Telegram sends it {hears}")]

    async def close(self) -> None:
        await self._client.close()

    async def _remember(self) -> None:
        for chat_id, message_id in await self._recall():
            if message_id.isdecimal():
                self._ids.note(chat_id, int(message_id))
        self._has_recalled = True

    async def _offer_commands(self) -> None:
        commands = [{"command": name, "description": words} for name, words in self._commands]
        try:
            await self._client.call("setMyCommands", bool, commands=commands)
        except TelegramRefusal as refusal:
            # They work all the same: only the menu does not show them.
            logger.warning("Telegram does not list the commands: %s", refusal)

    async def _receive(self, bot: TgUser, ingress: Ingress, connected: Callable[[], None]) -> None:
        reader = UpdateReader(bot, self._client.download)
        receiver = partial(Receiver, self._client, reader, ingress, self._ids)
        if self._webhook is None:
            polling = Polling(
                self._client,
                receiver(retry_seconds=self._settings.retry_seconds),
                seconds=self._settings.poll_seconds,
            )
            await polling.run(connected)
        else:
            # Telegram itself sends again what was not taken.
            await self._webhook.run(self._client, receiver(retry_seconds=0.0), connected)

    async def _send(self, message: Message, params: dict[str, Any]) -> TgSent:
        if message.file is None:
            return await self._client.call("sendMessage", TgSent, **params, **outgoing.text_params(message))
        caption = outgoing.caption_params(message)
        try:
            return await self._client.upload("sendDocument", TgSent, "document", message.file, **params, **caption)
        except OSError as error:
            raise Refused(f"The file {message.file.name} cannot be read ({error.strerror}).") from None

    def _meaning(self, refusal: TelegramRefusal, post: Post, message: Message) -> WakefulError:
        if refusal.migrated_to is not None:
            self._moved[post.address.chat_id] = str(refusal.migrated_to)
        return outgoing.meaning_of(refusal, message)

    def _chat_id(self, address: Address) -> str:
        return self._moved.get(address.chat_id, address.chat_id)

    def _warning(self, info: TgWebhookInfo) -> str:
        if self._webhook is None:
            return "A webhook is set for this bot, and `wakeful serve` will remove it." if info.url else ""
        if not self._webhook.is_set(info):
            return "Telegram posts to another address, or to none: start `wakeful serve` to set the webhook."
        if info.last_error_message:
            return f"Telegram could not post to this server: {info.last_error_message}"
        return ""


def _broken_line(refusal: TelegramRefusal) -> WakefulError:
    """Return what a refusal means for the door as a whole."""
    if refusal.code == 401:
        return TokenRefused("Telegram does not know this token: set WAKEFUL_TELEGRAM_TOKEN to the one from @BotFather.")
    if refusal.code == 404:
        return TokenRefused(
            "Telegram does not know this token: set WAKEFUL_TELEGRAM_TOKEN to the one from @BotFather, "
            "and check WAKEFUL_TELEGRAM_API_URL if it is set."
        )
    if refusal.code == 409 and not refusal.says("webhook"):
        return OtherReceiver()
    return refusal


def build_telegram(needs: PlatformNeeds) -> TelegramPlatform:
    webhook = TelegramWebhook(needs.public_url, needs.secret) if needs.access.mode == "webhook" else None
    if webhook is not None:
        needs.routes.append(webhook.route())
    settings = TelegramSettings(needs.access, needs.timeout)
    return TelegramPlatform(settings, needs.commands, recall=needs.recall, webhook=webhook)
