"""Asks for updates, and confirms them once they are taken in."""

import asyncio
import logging
from collections.abc import Callable

import msgspec

from wakeful.gateway.platforms.telegram.client import TelegramClient, TelegramRefusal
from wakeful.gateway.platforms.telegram.receiver import Receiver
from wakeful.gateway.platforms.telegram.wire import ALLOWED_UPDATES, TgUpdate, TgUpdateId

# Most updates are taken in within this time: then the next request confirms them.
_GRACE_SECONDS = 0.25
# How often news of other chats is asked for while an update takes longer. Telegram sends a single update to those who
# ask twice within half a second for the same.
_RECHECK_SECONDS = 1.0

logger = logging.getLogger(__name__)


class Polling:
    def __init__(self, client: TelegramClient, receiver: Receiver, *, seconds: float) -> None:
        """`seconds`: how long Telegram may wait for an update before it answers that there is none."""
        self._client = client
        self._receiver = receiver
        self._seconds = seconds
        # Updates that are not confirmed yet, in the order in which they came.
        self._in_hand: dict[int, asyncio.Task[None]] = {}
        # The first update that is wanted; 0: the first that is not confirmed.
        self._offset = 0

    async def run(self, connected: Callable[[], None]) -> None:
        """Receive until cancelled. Raises as `TelegramClient.call` does; what is unconfirmed comes again."""
        try:
            await self._begin()
            connected()
            while True:
                await self._ask(self._seconds)
        finally:
            jobs = self._in_hand.values()
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)

    async def _begin(self) -> None:
        """Ask without waiting for updates, so that it is known at once whether the line stands."""
        try:
            await self._ask(seconds=0.0)
        except TelegramRefusal as refusal:
            if refusal.code != 409 or not refusal.says("webhook is active"):
                raise
            logger.warning("A webhook was set for this bot on Telegram. It is removed, for this server polls.")
            await self._client.call("deleteWebhook", bool)
            await self._ask(seconds=0.0)

    async def _ask(self, seconds: float) -> None:
        self._confirm()
        sent = await self._client.call(
            "getUpdates",
            list[msgspec.Raw],
            extra_seconds=seconds,
            timeout=int(seconds),
            allowed_updates=ALLOWED_UPDATES,
            **({"offset": self._offset} if self._offset else {}),
        )
        news = [update for update in map(read_update, sent) if update.update_id not in self._in_hand]
        for update in news:
            self._in_hand[update.update_id] = asyncio.create_task(self._take(update))
        if news:
            await asyncio.wait(self._in_hand.values(), timeout=_GRACE_SECONDS)
        elif sent:
            # Telegram sends again at once what is not confirmed: the first of it holds up the offset.
            first = next(iter(self._in_hand.values()))
            await asyncio.wait([first], timeout=_RECHECK_SECONDS)

    def _confirm(self) -> None:
        """Move the offset past the updates that are done, up to the first that is not."""
        for update_id in list(self._in_hand):
            if not self._in_hand[update_id].done():
                return
            del self._in_hand[update_id]
            self._offset = update_id + 1

    async def _take(self, update: TgUpdate) -> None:
        try:
            await self._receiver.take(update)
        except Exception:
            # The receiver hands in again what was not taken: this is an update that it cannot read.
            logger.exception("The update %s of Telegram is passed over", update.update_id)


def read_update(raw: msgspec.Raw | bytes | bytearray) -> TgUpdate:
    """Return the update; without content where it is of a form that is not known. Raises msgspec.DecodeError."""
    try:
        return _read_update(raw)
    except RecursionError:
        raise msgspec.DecodeError("The update is nested too deeply.") from None


def _read_update(raw: msgspec.Raw | bytes | bytearray) -> TgUpdate:
    try:
        return msgspec.json.decode(raw, type=TgUpdate)
    except msgspec.ValidationError as error:
        known = msgspec.json.decode(raw, type=TgUpdateId)
        logger.warning("The update %s of Telegram cannot be read and is passed over: %s", known.update_id, error)
        return TgUpdate(known.update_id)
