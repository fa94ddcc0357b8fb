"""Telegram as people use it: private chats, and topics of a forum, which count their messages together."""

import random
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from tests.acceptance.messengers.messenger import Place, Shown
from tests.platforms.telegram_server import BOT, TOKEN, TelegramServer, Trouble

_FORUM = -(10**12) - 500
_FIRST_TOPIC = 11
_REPEATED = 20


class TelegramMessenger:
    name = "telegram"
    troubles: Mapping[str, Sequence[StrEnum]] = {
        "sendMessage": [Trouble.LIMITED, Trouble.BROKEN, Trouble.CUT_BEFORE, Trouble.CUT_AFTER, Trouble.SILENT],
        "editMessageText": [Trouble.LIMITED, Trouble.BROKEN, Trouble.CUT_BEFORE, Trouble.CUT_AFTER],
        "editMessageReplyMarkup": [Trouble.LIMITED, Trouble.BROKEN, Trouble.CUT_AFTER],
        "getUpdates": [Trouble.LIMITED, Trouble.BROKEN, Trouble.CUT_BEFORE, Trouble.CUT_AFTER],
    }

    def __init__(self, server: TelegramServer) -> None:
        self._server = server
        server.retry_after = 0.4
        self._sent: list[dict[str, Any]] = []

    @property
    def settings(self) -> dict[str, str]:
        return {"TOKEN": TOKEN, "API_URL": self._server.url}

    @property
    def waiting_troubles(self) -> Mapping[str, list[Any]]:
        return self._server.troubles

    def places(self, count: int) -> list[Place]:
        private = [Place(self.name, str(40 + number), is_private=True) for number in range(count // 2)]
        topics = [Place(self.name, str(_FORUM), str(_FIRST_TOPIC + number)) for number in range(count - len(private))]
        self._server.chat(_FORUM).topics = {int(place.thread) for place in topics}
        return [*private, *topics]

    def is_heard(self) -> bool:
        return True  # Telegram keeps what nobody has asked for.

    async def write(self, place: Place, text: str) -> tuple[Place, str]:
        topic: dict[str, Any] = (
            {"message_thread_id": int(place.thread), "is_topic_message": True} if place.thread else {}
        )
        message_id = await self._server.write(int(place.chat), text, **topic)
        self._sent.append(self._server.chats[int(place.chat)].messages[message_id])
        return place, str(message_id)

    async def repeat(self, chance: random.Random) -> int:
        """The same message comes in another update."""
        repeated = chance.sample(self._sent[-_REPEATED:], k=min(1, len(self._sent)))
        for message in repeated:
            await self._server.update(message=message)
        return len(repeated)

    async def disconnect(self, chance: random.Random) -> int:
        return 0  # Each request has a line of its own.

    async def mind(self) -> None:
        """It waits for requests."""

    def left_over(self) -> list[str]:
        return []  # It ends by itself after some seconds.

    def shown(self) -> list[Shown]:
        return [
            self._shown(message)
            for chat in self._server.chats.values()
            for message in chat.messages.values()
            if message["from"] == BOT
        ]

    def _shown(self, message: dict[str, Any]) -> Shown:
        chat_id, topic = message["chat"]["id"], message["topic"]
        place = Place(self.name, str(chat_id), str(topic or ""), is_private=chat_id > 0)
        return Shown(place, str(message["message_id"]), message["text"], str(message["reply_to"] or ""))
