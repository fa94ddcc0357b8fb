"""The sign that an answer is being written: Slack has none for bots, so it is a reaction on the message."""

import asyncio
import logging

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.persistence import pause_after
from wakeful.gateway.messaging.platform import NotTaken
from wakeful.gateway.platforms.slack.client import SlackClient, SlackRefusal
from wakeful.gateway.platforms.slack.history import ts_order
from wakeful.model.session import Address

_REACTION = "hourglass_flowing_sand"
# How long the end of a turn waits until it is taken off. After that, trying goes on in the background.
_END_SECONDS = 2.0
_TRIES = 8

logger = logging.getLogger(__name__)


class Hourglass:
    def __init__(self, client: SlackClient) -> None:
        self._client = client
        # Messages that bear it, as channel and id, or may do so.
        self._shown: set[tuple[str, str]] = set()
        self._removals: set[asyncio.Task[None]] = set()

    async def show(self, address: Address) -> None:
        key = address.chat_id, address.sender.message_id
        if key in self._shown or ts_order(key[1]) == (0, 0):
            return
        # Before the request: it may be cut off and have arrived.
        self._shown.add(key)
        try:
            await self._react("add", *key)
        except NotTaken:
            self._shown.discard(key)
            raise

    async def remove(self, address: Address) -> None:
        key = address.chat_id, address.sender.message_id
        if key not in self._shown:
            return
        self._shown.discard(key)
        removal = asyncio.create_task(self._remove(*key))
        self._removals.add(removal)
        removal.add_done_callback(self._removals.discard)
        await asyncio.wait([removal], timeout=_END_SECONDS)

    async def close(self) -> None:
        removals = list(self._removals)
        for removal in removals:
            removal.cancel()
        await asyncio.gather(*removals, return_exceptions=True)

    async def _remove(self, channel: str, ts: str) -> None:
        for number in range(1, _TRIES + 1):
            try:
                await self._react("remove", channel, ts)
                return
            except WakefulError as error:
                logger.info("The hourglass stays on a message on Slack for now: %s", error)
                wanted = error.seconds if isinstance(error, NotTaken) else 0.0
                await asyncio.sleep(wanted or pause_after(number))

    async def _react(self, verb: str, channel: str, ts: str) -> None:
        try:
            await self._client.call(f"reactions.{verb}", channel=channel, timestamp=ts, name=_REACTION)
        except SlackRefusal as refusal:
            # It is there already, or gone already, or the bot may not react: nothing to try again.
            logger.debug("%s", refusal)
