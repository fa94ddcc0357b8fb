"""Discord as a platform of the messaging doors."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import discord
from discord.http import Route

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.needs import NO_MEMORY, ChatsSince, DoorMemory, PlatformNeeds
from wakeful.gateway.messaging.platform import (
    Ingress,
    LookedUp,
    Message,
    NotTaken,
    Refused,
    TokenRefused,
    Whereabouts,
)
from wakeful.gateway.messaging.settings import AdapterSettings
from wakeful.gateway.platforms.discord import outgoing
from wakeful.gateway.platforms.discord.channels import DiscordChannels, channel_id
from wakeful.gateway.platforms.discord.client import DiscordClient
from wakeful.gateway.platforms.discord.interactions import DiscordInteractions
from wakeful.gateway.platforms.discord.line import DiscordLine, IntentsRefused
from wakeful.gateway.platforms.discord.progress import GatewayProgress
from wakeful.gateway.platforms.discord.reader import DiscordReader
from wakeful.gateway.platforms.discord.receiver import DiscordReceiver
from wakeful.model.messaging.post import Post
from wakeful.model.session import Address

# Discord remembers nonces for some minutes.
_NONCE_SECONDS = 120.0
# Its clock and ours may differ by this much.
_CLOCK_SECONDS = 5.0
_MOST_SEARCHED = 500
_MOST_FILE_BYTES = 10_000_000
# A shorter beginning could be another message.
_FIRST_WORDS = 8
# What closes a code block that goes on.
_CUT = "` \n"
_ABSENT = LookedUp(Whereabouts.ABSENT)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DiscordSettings(AdapterSettings):
    # Discord lets a bot begin a session every 5 s.
    identify_seconds: float = 5.0


class DiscordPlatform:
    name = "discord"
    # Discord shows it for 10 s.
    typing_seconds = 8.0

    def __init__(
        self,
        settings: DiscordSettings,
        commands: Sequence[tuple[str, str]] = (),
        *,
        chats: ChatsSince,
        memory: DoorMemory = NO_MEMORY,
    ) -> None:
        """`commands`: names without the slash, each with a few words about it. `chats`: those that have a session, for
        what they missed while nothing was connected. `memory`: what another process can go on with.
        """
        self._commands = commands
        token, url = settings.access.token, settings.access.api_url
        self._client = DiscordClient(token, url, timeout=settings.timeout, identify_seconds=settings.identify_seconds)
        self._progress = GatewayProgress(memory, lambda: self._client.own_roles)
        self._line = DiscordLine(self._client, self._progress)
        channels = DiscordChannels(self._client)
        self._receiver = DiscordReceiver(
            self._client,
            channels,
            DiscordReader(self._client, channels, {name for name, _ in commands}),
            DiscordInteractions(self._client, channels),
            chats,
            self._progress,
            settings.retry_seconds,
        )
        self._client.events = self._receiver

    async def run(self, ingress: Ingress, connected: Callable[[str], None]) -> None:
        await self._client.log_in()
        await self._offer_commands()

        def note_standing() -> None:
            self._line.note_standing()
            connected(self._client.bot.name)

        async with self._receiver.at_work(ingress, note_standing), self._progress.at_work():
            await self._line.run()

    async def send(self, post: Post, message: Message) -> str:
        if message.file is not None:
            await asyncio.to_thread(_check_size, message)
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel_id(post.address))
        try:
            sent = await self._client.call(route, outgoing.new_message(post, message), file=message.file)
        except TokenRefused as refusal:
            # The fault lies with the door, and this message can wait for it to open again.
            raise NotTaken(str(refusal)) from None
        message_id: str = sent["id"]
        return message_id

    async def edit(self, post: Post, message: Message) -> None:
        path = "/channels/{channel_id}/messages/{message_id}"
        route = Route("PATCH", path, channel_id=channel_id(post.address), message_id=post.message_id)
        try:
            await self._client.call(route, outgoing.changed_message(message))
        except TokenRefused as refusal:
            raise NotTaken(str(refusal)) from None

    async def look_up(self, post: Post, message: Message) -> LookedUp:
        try:
            if time.time() - (post.attempted_at or 0.0) < _NONCE_SECONDS:
                # Discord answers with the first message, if there is one.
                return LookedUp(Whereabouts.FOUND, await self.send(post, message))
            return await self._search(post, message)
        except Refused:
            # The next try is refused too, and says so.
            return _ABSENT
        except TokenRefused as refusal:
            raise NotTaken(str(refusal)) from None
        except NotTaken as refusal:
            if refusal.cure is not None:
                return _ABSENT
            raise

    def lane(self, address: Address) -> str:
        return f"{address.chat_id}:{address.thread_id}"

    async def highest_id(self, address: Address) -> int:
        return 0

    async def show_typing(self, address: Address, *, is_over: bool = False) -> None:
        # The answer ends it, and so does time.
        if not is_over:
            await self._client.call(Route("POST", "/channels/{channel_id}/typing", channel_id=channel_id(address)))

    async def check(self) -> list[tuple[str, str, str]]:
        try:
            await self._client.log_in()
        except WakefulError as error:
            return [(self.name, "fail", str(error))]
        flags = self._client.application_flags
        if not (flags.gateway_message_content or flags.gateway_message_content_limited):
            return [(self.name, "fail", str(IntentsRefused()))]
        return [(self.name, "ok", f"{self._client.bot.name}, with the message content intent")]

    async def close(self) -> None:
        await self._client.shut()

    async def _offer_commands(self) -> None:
        route = Route("PUT", "/applications/{application_id}/commands", application_id=self._client.application_id or 0)
        try:
            await self._client.call(route, outgoing.command_list(self._commands))
        except (NotTaken, Refused) as refusal:
            # They work all the same as messages: only the menu does not show them.
            logger.warning("Discord does not list the commands: %s", refusal)

    async def _search(self, post: Post, message: Message) -> LookedUp:
        """Look for our message among those that came after the attempt."""
        since = datetime.fromtimestamp((post.attempted_at or 0.0) - _CLOCK_SECONDS, UTC)
        after = discord.utils.time_snowflake(since)
        shown = await self._client.messages_after(channel_id(post.address), after, _MOST_SEARCHED)
        for candidate in reversed(shown):
            if candidate.author.id == self._client.bot.id and _is_same(candidate, message):
                return LookedUp(Whereabouts.FOUND, str(candidate.id))
        return _ABSENT


def _is_same(shown: discord.Message, message: Message) -> bool:
    """Whether this is the message, or shows the first words of an answer that has grown since."""
    reference = None if shown.reference is None else shown.reference.message_id
    begun, wanted = shown.content.strip().rstrip(_CUT), message.text.strip()
    return (
        str(reference or "") == message.reply_to
        and bool(shown.attachments) == (message.file is not None)
        and (shown.content.strip() == wanted or (len(begun) >= _FIRST_WORDS and wanted.startswith(begun)))
    )


def _check_size(message: Message) -> None:
    assert message.file is not None
    try:
        size = message.file.stat().st_size
    except OSError as error:
        raise Refused(f"The file {message.file.name} cannot be read ({error.strerror}).") from None
    if size > _MOST_FILE_BYTES:
        megabytes = f"{size / 1e6:.3g}"
        raise Refused(f"{message.file.name} is too large for Discord ({megabytes} MB, at most 10 MB).")


def build_discord(needs: PlatformNeeds) -> DiscordPlatform:
    settings = DiscordSettings(needs.access, needs.timeout)
    return DiscordPlatform(settings, needs.commands, chats=needs.chats, memory=needs.memory)
