"""The sign that an answer is being written: Slack has none for bots, so it is a reaction on the message."""

import asyncio
import logging

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import NotTaken
from wakeful.gateway.platforms.slack.client import SlackClient, SlackRefusal
from wakeful.gateway.platforms.slack.history import ts_order
from wakeful.model.session import Address

_REACTION = "hourglass_flowing_sand"
# Taking it off is tried so often, and within this time.
_TRIES = 3
_END_SECONDS = 15.0

logger = logging.getLogger(__name__)


class Hourglass:
    def __init__(self, client: SlackClient) -> None:
        self._client = client
        # Messages that bear it, as channel and id, or may do so.
        self._shown: set[tuple[str, str]] = set()

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
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self._remove(*key)
        except TimeoutError:
            logger.info("The hourglass stays on a message on Slack: there was no answer in time.")

    async def _remove(self, channel: str, ts: str) -> None:
        for number in range(_TRIES):
            try:
                await self._react("remove", channel, ts)
                return
            except WakefulError as error:
                logger.info("The hourglass stays on a message on Slack for now: %s", error)
                await asyncio.sleep(error.seconds if isinstance(error, NotTaken) else 2.0**number)

    async def _react(self, verb: str, channel: str, ts: str) -> None:
        try:
            await self._client.call(f"reactions.{verb}", channel=channel, timestamp=ts, name=_REACTION)
        except SlackRefusal as refusal:
            # It is there already, or gone already, or the bot may not react: nothing to try again.
            logger.debug("%s", refusal)
