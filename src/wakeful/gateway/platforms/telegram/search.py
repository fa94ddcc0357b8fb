"""Finds out what became of a message whose send went unanswered."""

import logging
from collections.abc import Sequence

from msgspec import Raw

from wakeful.gateway.messaging.platform import LookedUp, Message, Whereabouts
from wakeful.gateway.platforms.telegram import outgoing
from wakeful.gateway.platforms.telegram.client import TelegramClient, TelegramRefusal
from wakeful.gateway.platforms.telegram.ids import KnownIds

UNKNOWABLE = LookedUp(Whereabouts.UNKNOWABLE)

logger = logging.getLogger(__name__)


class LostMessageSearch:
    def __init__(self, client: TelegramClient, ids: KnownIds) -> None:
        self._client = client
        self._ids = ids

    async def find(self, chat_id: str, highest: int, message: Message) -> LookedUp:
        """`highest` is the highest id that was known before the send. Raises NotTaken and Unanswered."""
        candidates = self._ids.unknown_after(chat_id, highest)
        if candidates is None:
            return UNKNOWABLE
        try:
            return await self._first_of_ours(chat_id, candidates, message)
        except TelegramRefusal as refusal:
            logger.info("Telegram does not say whether a message to %s arrived: %s", chat_id, refusal)
            return UNKNOWABLE

    async def _first_of_ours(self, chat_id: str, candidates: Sequence[int], message: Message) -> LookedUp:
        for message_id in candidates:
            if await self._is_ours(chat_id, message_id, message):
                # From now on it is no other lost message.
                self._ids.note(chat_id, message_id)
                return LookedUp(Whereabouts.FOUND, str(message_id))
        return LookedUp(Whereabouts.ABSENT)

    async def _is_ours(self, chat_id: str, message_id: int, message: Message) -> bool:
        """Ask by an edit which changes nothing: it gives the message the buttons that it has, mostly none."""
        params = {**outgoing.target(chat_id), "message_id": message_id, **outgoing.button_params(message.buttons)}
        try:
            await self._client.call("editMessageReplyMarkup", Raw, **params)
        except TelegramRefusal as refusal:
            if refusal.says(*outgoing.NO_SUCH_MESSAGE):
                return False
            if not refusal.says(*outgoing.NOT_MODIFIED):
                raise
        return True
