"""Hands what Slack sends to the ingress: messages of a channel one after another, those of other channels beside them.

An envelope is acknowledged when its message is taken in. Until then Slack may send it again, and sends a mention twice.
"""

import asyncio
import heapq
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import msgspec

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.persistence import until_done
from wakeful.gateway.messaging.platform import Ingress
from wakeful.gateway.platforms.slack.catch_up import SlackCatchUp
from wakeful.gateway.platforms.slack.client import SlackClient
from wakeful.gateway.platforms.slack.history import ts_order
from wakeful.gateway.platforms.slack.line import Envelope, SlackLine
from wakeful.gateway.platforms.slack.reader import SlackReader
from wakeful.gateway.platforms.slack.wire import SlackCommand, SlackMessage, SlackPress, read_message
from wakeful.gateway.platforms.slack.words import slack_escaped

# Slack shows a warning at a button that is not answered within three seconds.
_ANSWER_SECONDS = 1.5

T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(order=True, slots=True)
class _InHand:
    """A message that is not taken in yet, and the envelopes that it came in."""

    order: tuple[int, int]
    message: SlackMessage = field(compare=False)
    envelopes: list[tuple[SlackLine, str]] = field(compare=False, default_factory=list)


class SlackReceiver:
    def __init__(
        self,
        client: SlackClient,
        reader: SlackReader,
        ingress: Ingress,
        catch_up: SlackCatchUp,
        *,
        retry_seconds: float,
    ) -> None:
        self._client = client
        self._reader = reader
        self._ingress = ingress
        self._catch_up = catch_up
        self._retry_seconds = retry_seconds
        self._in_hand: dict[tuple[str, str], _InHand] = {}
        # The messages of each channel that wait, the oldest first. A channel is here while it is being worked on.
        self._lanes: dict[str, list[_InHand]] = {}
        # Envelopes of commands that are not taken in yet.
        self._commands: set[str] = set()
        self._jobs: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        """Read what was missed; messages that come meanwhile wait for what came before them."""
        for channel in self._catch_up.channels:
            self._open_lane(channel)

    def take(self, line: SlackLine, envelope: Envelope) -> None:
        try:
            self._sort(line, envelope)
        except msgspec.ValidationError as error:
            logger.warning("Something of the type %s on Slack cannot be read: %s", envelope.type, error)
            self._start(line.acknowledge(envelope.envelope_id))

    async def close(self) -> None:
        """Leave what is in hand to Slack, which sends it again, and to the next start, which reads it."""
        jobs = list(self._jobs)
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    def _sort(self, line: SlackLine, envelope: Envelope) -> None:
        event = envelope.payload.get("event") or {}
        if envelope.type == "events_api" and event.get("type") in ("message", "app_mention"):
            message = read_message(event)
            if self._reader.is_turn(message):
                self._add(message, (line, envelope.envelope_id))
                return
        elif envelope.type == "slash_commands":
            command = msgspec.convert(envelope.payload, SlackCommand)
            self._start(self._take_command(line, envelope.envelope_id, command))
            return
        elif envelope.type == "interactive" and envelope.payload.get("type") == "block_actions":
            press = msgspec.convert(envelope.payload, SlackPress)
            self._start(self._take_press(line, envelope.envelope_id, press))
            return
        self._start(line.acknowledge(envelope.envelope_id))

    def _add(self, message: SlackMessage, envelope: tuple[SlackLine, str] | None) -> None:
        key = message.channel, message.ts
        item = self._in_hand.get(key)
        if item is None:
            item = self._in_hand[key] = _InHand(ts_order(message.ts), message)
            heapq.heappush(self._open_lane(message.channel), item)
        if envelope is not None:
            item.envelopes.append(envelope)

    def _open_lane(self, channel: str) -> list[_InHand]:
        if channel not in self._lanes:
            self._lanes[channel] = []
            self._start(self._work(channel))
        return self._lanes[channel]

    async def _work(self, channel: str) -> None:
        waiting = self._lanes[channel]
        for message in await self._catch_up.missed(channel):
            if self._reader.is_turn(message):
                self._add(message, None)
        while waiting:
            item = heapq.heappop(waiting)
            await self._take_message(item.message)
            del self._in_hand[channel, item.message.ts]
            for line, envelope_id in item.envelopes:
                await line.acknowledge(envelope_id)
        del self._lanes[channel]

    async def _take_message(self, message: SlackMessage) -> None:
        try:
            incoming = await self._reader.message(message)
        except Exception:  # The boundary of one message: the channel goes on without it.
            logger.exception("The message %s on Slack cannot be read and is passed over", message.ts)
            return
        if incoming is not None:
            await self._insist(partial(self._ingress.take, incoming))

    async def _take_command(self, line: SlackLine, envelope_id: str, command: SlackCommand) -> None:
        if envelope_id in self._commands:
            return
        self._commands.add(envelope_id)
        try:
            # It is no message and has no id: the moment serves as one, and what is written later comes after it.
            incoming = await self._reader.command(command, f"{time.time():.6f}")
            await self._insist(partial(self._ingress.take, incoming))
            await line.acknowledge(envelope_id)
        finally:
            self._commands.discard(envelope_id)

    async def _take_press(self, line: SlackLine, envelope_id: str, press: SlackPress) -> None:
        answering = asyncio.create_task(self._press(press))
        try:
            await asyncio.wait([answering], timeout=_ANSWER_SECONDS)
            await line.acknowledge(envelope_id)
            await self._answer(press, await answering)
        finally:
            answering.cancel()

    async def _press(self, pressed: SlackPress) -> str:
        press = await self._reader.press(pressed)
        return "" if press is None else (await self._insist(partial(self._ingress.press, press))).text

    async def _answer(self, press: SlackPress, text: str) -> None:
        """Say it to the one who has pressed, in the thread of the button."""
        if not text:
            return
        body: dict[str, Any] = {"text": slack_escaped(text)}
        if press.message.thread_ts:
            body["thread_ts"] = press.message.thread_ts
        try:
            if press.response_url:
                said = body | {"response_type": "ephemeral", "replace_original": False}
                await self._client.answer(press.response_url, said)
            else:
                where = {"channel": press.channel.id, "user": press.user.id}
                await self._client.call("chat.postEphemeral", **where, **body)
        except WakefulError as error:
            # What was pressed counts all the same.
            logger.info("A press of a button was not answered: %s", error)

    async def _insist(self, hand_in: Callable[[], Awaitable[T]]) -> T:
        """What was not taken in is handed in again: later messages of the channel must not come before it."""
        return await until_done(hand_in, "Something from Slack was not taken in", self._retry_seconds)

    def _start(self, job: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(job)
        self._jobs.add(task)
        task.add_done_callback(self._end)

    def _end(self, job: asyncio.Task[None]) -> None:
        self._jobs.discard(job)
        if not job.cancelled() and (error := job.exception()) is not None:
            logger.error("Something from Slack was passed over", exc_info=error)
