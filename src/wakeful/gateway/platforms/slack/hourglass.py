"""The sign that an answer is being written: Slack has none for bots, so it is a reaction on the message.

Slack never takes it off by itself. Which messages bear it is kept in the store, for the process after this one.
"""

import asyncio
import logging

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.needs import DoorMemory
from wakeful.gateway.messaging.persistence import pause_after
from wakeful.gateway.messaging.platform import NotTaken
from wakeful.gateway.platforms.slack.client import SlackClient, SlackRefusal
from wakeful.gateway.platforms.slack.history import ts_order
from wakeful.model.session import Address

_REACTION = "hourglass_flowing_sand"
# How long the end of a turn waits until it is taken off. After that, trying goes on in the background.
_END_SECONDS = 2.0
_TRIES = 8
_NAME = "hourglasses"

logger = logging.getLogger(__name__)


class Hourglass:
    def __init__(self, client: SlackClient, memory: DoorMemory) -> None:
        self._client = client
        self._memory = memory
        # Messages that are to bear it, as channel and id; and those that bear it, or may do so.
        self._shown: set[tuple[str, str]] = set()
        self._standing: set[tuple[str, str]] = set()
        self._removals: set[asyncio.Task[None]] = set()
        self._keeping = asyncio.Lock()
        self._has_recalled = False

    async def take_over(self) -> None:
        """Begin to take off what an earlier process has left, except where a turn goes on here."""
        await self._recall()
        for key in self._standing:
            self._begin_removal(key)

    async def show(self, address: Address) -> None:
        key = address.chat_id, address.sender.message_id
        if key in self._shown or ts_order(key[1]) == (0, 0):
            return
        if not self._has_recalled:
            # Or it would be forgotten: a turn may go on before Slack is reached.
            await self._recall()
        has_stood = key in self._standing
        # Before the request: it may be cut off and have arrived.
        self._shown.add(key)
        self._standing.add(key)
        await self._keep()
        try:
            await self._react("add", *key)
        except NotTaken:
            if not has_stood:
                self._shown.discard(key)
                self._standing.discard(key)
            raise

    async def remove(self, address: Address) -> None:
        key = address.chat_id, address.sender.message_id
        if key not in self._shown:
            return
        self._shown.discard(key)
        await asyncio.wait([self._begin_removal(key)], timeout=_END_SECONDS)

    async def close(self) -> None:
        removals = list(self._removals)
        for removal in removals:
            removal.cancel()
        await asyncio.gather(*removals, return_exceptions=True)

    def _begin_removal(self, key: tuple[str, str]) -> asyncio.Task[None]:
        removal = asyncio.create_task(self._remove(key))
        self._removals.add(removal)
        removal.add_done_callback(self._removals.discard)
        return removal

    async def _remove(self, key: tuple[str, str]) -> None:
        for number in range(1, _TRIES + 1):
            if key in self._shown:
                # The turn goes on here.
                return
            try:
                await self._react("remove", *key)
                # Another turn may have put it there again meanwhile.
                if key not in self._shown:
                    self._standing.discard(key)
                    await self._keep()
                return
            except WakefulError as error:
                logger.info("The hourglass stays on a message on Slack for now: %s", error)
                wanted = error.seconds if isinstance(error, NotTaken) else 0.0
                await asyncio.sleep(wanted or pause_after(number))

    async def _recall(self) -> None:
        kept = (await self._memory.read()).get(_NAME, [])
        self._standing |= {(channel, ts) for channel, ts in kept}
        self._has_recalled = True

    async def _keep(self) -> None:
        async with self._keeping:
            try:
                await self._memory.write({_NAME: sorted(self._standing)})
            except WakefulError as error:
                logger.info("Where hourglasses stand on Slack was not kept: %s", error)

    async def _react(self, verb: str, channel: str, ts: str) -> None:
        try:
            await self._client.call(f"reactions.{verb}", channel=channel, timestamp=ts, name=_REACTION)
        except SlackRefusal as refusal:
            # It is there already, or gone already, or the bot may not react: nothing to try again.
            logger.debug("%s", refusal)
