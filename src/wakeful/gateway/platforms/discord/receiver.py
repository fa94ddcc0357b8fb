"""Hands in what comes through the gateway: in each channel one after another, different channels side by side.

The lanes outlive a broken line. A RESUME brings only what came after the last event received, so what waits in a lane
at that moment must not be forgotten.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import discord

from wakeful.gateway.messaging.needs import ChatsSince
from wakeful.gateway.messaging.persistence import until_done
from wakeful.gateway.messaging.platform import IncomingMessage, Ingress, Refused
from wakeful.gateway.platforms.discord.channels import DiscordChannels
from wakeful.gateway.platforms.discord.client import DiscordClient
from wakeful.gateway.platforms.discord.interactions import DiscordInteractions
from wakeful.gateway.platforms.discord.progress import GatewayProgress
from wakeful.gateway.platforms.discord.reader import DiscordReader
from wakeful.model.messaging.chat import Chat

# What came while nothing was connected is read this far back, and this much of it in each channel.
_MISSED_SECONDS = 86_400.0
_MOST_MISSED = 200
# How many channels are read at a time: Discord lets a bot make 50 requests a second.
_READ_AT_A_TIME = 4

T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Missed:
    """Stands in a lane before the events of a new session: what came after this id is read first."""

    after: int


@dataclass(frozen=True, slots=True)
class _CommandCall:
    message: IncomingMessage
    taken: asyncio.Event = field(default_factory=asyncio.Event)


_Item = discord.Message | _Missed | _CommandCall


class DiscordReceiver:
    def __init__(
        self,
        client: DiscordClient,
        channels: DiscordChannels,
        reader: DiscordReader,
        interactions: DiscordInteractions,
        chats: ChatsSince,
        progress: GatewayProgress,
        retry_seconds: float,
    ) -> None:
        self._client = client
        self._channels = channels
        self._reader = reader
        self._interactions = interactions
        self._chats = chats
        self._progress = progress
        self._retry_seconds = retry_seconds
        self._ingress: Ingress | None = None
        self._note_standing: Callable[[], None] = lambda: None
        # Each with its number in the progress of the session.
        self._lanes: dict[str, deque[tuple[int, _Item]]] = {}
        self._working: set[str] = set()
        self._jobs: set[asyncio.Task[None]] = set()
        # What has come in a new session whose chats are still being looked up; None in any other.
        self._held: list[tuple[str, int, _Item]] | None = None
        self._look = 0
        self._reading = asyncio.Semaphore(_READ_AT_A_TIME)

    @asynccontextmanager
    async def at_work(self, ingress: Ingress, note_standing: Callable[[], None]) -> AsyncIterator[None]:
        """Hand in while this is open; what is left then waits for the next time."""
        self._ingress, self._note_standing = ingress, note_standing
        if self._held is not None:
            self._start(self._look_for_missed())
        for lane in self._lanes:
            self._work(lane)
        try:
            yield
        finally:
            self._ingress = None
            for job in self._jobs:
                job.cancel()
            await asyncio.gather(*self._jobs, return_exceptions=True)

    def identified(self) -> None:
        self._note_standing()
        self._progress.note_new_session()
        self.read_missed()

    def read_missed(self) -> None:
        if self._held is None:
            self._held = []
            self._look = self._progress.begin_missed()
            if self._ingress is not None:
                self._start(self._look_for_missed())

    def resumed(self) -> None:
        self._note_standing()

    def message(self, message: discord.Message) -> None:
        self._put(str(message.channel.id), message)

    def interaction(self, interaction: discord.Interaction) -> None:
        # Discord does not repeat them, and people who see no answer press again.
        if (ingress := self._ingress) is None or interaction.channel_id is None:
            return
        if interaction.type is discord.InteractionType.component:
            self._start(self._interactions.press(interaction, ingress))
        elif interaction.type is discord.InteractionType.application_command:
            self._start(self._interactions.command(interaction, self._hand_in_command))

    async def _hand_in_command(self, channel: str, message: IncomingMessage) -> None:
        call = _CommandCall(message)
        self._put(channel, call)
        await call.taken.wait()

    async def _look_for_missed(self) -> None:
        """Let each channel that has a session read what it missed, before what has come since."""
        chats = await self._insist(partial(self._chats, 0.0))
        # Where people talked last, they wait for an answer.
        for chat in sorted(_with_channels(chats), key=lambda chat: chat.last_at, reverse=True):
            if chat.last_message_id.isdecimal():
                number = self._progress.begin_missed()
                self._put_into_lane(self._channels.learn(chat), number, _Missed(int(chat.last_message_id)))
        held, self._held = self._held or [], None
        for channel, number, item in held:
            self._put_into_lane(channel, number, item)
        self._progress.end(self._look)

    def _put(self, channel: str, item: _Item) -> None:
        number = self._progress.begin()
        if self._held is not None:
            self._held.append((channel, number, item))
        else:
            self._put_into_lane(channel, number, item)

    def _put_into_lane(self, channel: str, number: int, item: _Item) -> None:
        self._lanes.setdefault(channel, deque()).append((number, item))
        if self._ingress is not None:
            self._work(channel)

    def _work(self, channel: str) -> None:
        if channel not in self._working:
            self._working.add(channel)
            self._start(self._empty(channel))

    async def _empty(self, channel: str) -> None:
        lane = self._lanes[channel]
        try:
            while lane:
                number, item = lane[0]
                await self._insist(partial(self._hand_in, channel, item))
                lane.popleft()
                self._progress.end(number)
            del self._lanes[channel]
        finally:
            self._working.discard(channel)

    async def _hand_in(self, channel: str, item: _Item) -> None:
        if isinstance(item, _Missed):
            for message in await self._missed(channel, item.after):
                await self._take(message)
        elif isinstance(item, _CommandCall):
            await self._now_open.take(item.message)
            item.taken.set()
        else:
            await self._take(item)

    async def _missed(self, channel: str, after: int) -> list[discord.Message]:
        oldest = datetime.fromtimestamp(time.time() - _MISSED_SECONDS, UTC)
        first = max(after, discord.utils.time_snowflake(oldest))
        try:
            async with self._reading:
                return await self._client.messages_after(channel, first, _MOST_MISSED)
        except Refused as refusal:
            logger.info("What was missed in the channel %s of Discord cannot be read: %s", channel, refusal)
            return []

    async def _take(self, message: discord.Message) -> None:
        incoming = await self._reader.read(message)
        if incoming is None:
            return
        try:
            await self._now_open.take(incoming)
        except Refused as refusal:
            # A file that is gone will not come back, and the words count all the same.
            logger.warning("A message is taken in without its files: %s", refusal)
            await self._now_open.take(replace(incoming, attachments=()))

    @property
    def _now_open(self) -> Ingress:
        assert self._ingress is not None, "lanes are emptied only while the receiver is at work"
        return self._ingress

    async def _insist(self, work: Callable[[], Awaitable[T]]) -> T:
        return await until_done(work, "An event of Discord was not taken in", self._retry_seconds)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        job = asyncio.create_task(work)
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)


def _with_channels(chats: Iterable[Chat]) -> list[Chat]:
    """Add the channel itself to the threads that share its session, where all that was taken in stood in threads."""
    known = {(chat.key, chat.thread_id): chat for chat in chats}
    # The newest message of any thread comes first.
    for chat in sorted(known.values(), key=lambda chat: chat.last_at, reverse=True):
        if chat.thread_id not in chat.key.split(":"):
            known.setdefault((chat.key, ""), replace(chat, thread_id=""))
    return list(known.values())
