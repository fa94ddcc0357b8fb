"""Hands updates to the ingress: messages of a chat one after another, those of other chats beside them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar
from weakref import WeakValueDictionary

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.persistence import until_done
from wakeful.gateway.messaging.platform import Ingress, Press
from wakeful.gateway.platforms.telegram.client import TelegramClient
from wakeful.gateway.platforms.telegram.ids import KnownIds
from wakeful.gateway.platforms.telegram.reader import UpdateReader
from wakeful.gateway.platforms.telegram.wire import TgMessage, TgPress, TgUpdate

# A button shows that it waits until it is answered: people press again after some two seconds.
_ANSWER_SECONDS = 1.5
_LONGEST_ANSWER = 200

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Receiver:
    def __init__(
        self, client: TelegramClient, reader: UpdateReader, ingress: Ingress, ids: KnownIds, *, retry_seconds: float
    ) -> None:
        """`retry_seconds`: after which time an update is handed in again that the ingress did not take; 0: never."""
        self._client = client
        self._reader = reader
        self._ingress = ingress
        self._ids = ids
        self._retry_seconds = retry_seconds
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def take(self, update: TgUpdate) -> None:
        """Return when the update may be confirmed."""
        if update.message is not None:
            self._ids.note(str(update.message.chat.id), update.message.message_id)
            # Held by those who wait for it alone.
            turn = self._turns.setdefault(update.message.chat.id, asyncio.Lock())
            async with turn:
                await self._take_message(update.message)
        elif update.callback_query is not None:
            await self._take_press(update.callback_query)

    async def _take_message(self, message: TgMessage) -> None:
        chat_id = str(message.chat.id)
        # Telegram says it in both groups, so the new id is known before the first message under it.
        if message.migrate_to_chat_id is not None:
            await self._insist(partial(self._ingress.move_chat, chat_id, str(message.migrate_to_chat_id)))
        elif message.migrate_from_chat_id is not None:
            await self._insist(partial(self._ingress.move_chat, str(message.migrate_from_chat_id), chat_id))
        elif (incoming := self._reader.message(message)) is not None:
            await self._insist(partial(self._ingress.take, incoming))

    async def _take_press(self, pressed: TgPress) -> None:
        press = self._reader.press(pressed)
        if press is None:
            await self._answer(pressed, "")
            return
        handing_in = asyncio.create_task(self._insist(partial(self._press, press)))
        try:
            done, _ = await asyncio.wait([handing_in], timeout=_ANSWER_SECONDS)
            await self._answer(pressed, handing_in.result() if done else "")
            await handing_in
        finally:
            handing_in.cancel()

    async def _press(self, press: Press) -> str:
        return (await self._ingress.press(press)).text

    async def _answer(self, pressed: TgPress, text: str) -> None:
        try:
            shown = text[:_LONGEST_ANSWER]
            await self._client.call("answerCallbackQuery", bool, callback_query_id=pressed.id, text=shown)
        except WakefulError as error:
            # What was pressed counts; only the presser's screen is behind.
            logger.info("A press of a button was not answered: %s", error)

    async def _insist(self, hand_in: Callable[[], Awaitable[T]]) -> T:
        if not self._retry_seconds:
            return await hand_in()
        return await until_done(hand_in, "An update of Telegram was not taken in", self._retry_seconds)
