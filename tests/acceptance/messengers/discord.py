"""Discord as people use it: direct messages, and threads of a channel."""

import random
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from tests.acceptance.messengers.messenger import Place, Shown
from tests.platforms.discord_gateway import RECONNECT
from tests.platforms.discord_server import BOT_ID, DM, THREAD, TOKEN, DiscordServer, Room, Trouble

_CHANNEL = "2000"
_REPEATED = 20


class DiscordMessenger:
    name = "discord"
    troubles: Mapping[str, Sequence[StrEnum]] = {
        "POST messages": [
            Trouble.LIMITED,
            Trouble.UNAVAILABLE,
            Trouble.CUT_BEFORE,
            Trouble.CUT_AFTER,
            Trouble.SILENT,
            Trouble.BAD_GATEWAY,
            Trouble.BAD_GATEWAY_AFTER,
        ],
        "PATCH messages": [Trouble.LIMITED, Trouble.UNAVAILABLE, Trouble.CUT_BEFORE, Trouble.CUT_AFTER],
        "GET messages": [Trouble.LIMITED, Trouble.UNAVAILABLE, Trouble.CUT_BEFORE],
        "GET bot": [Trouble.UNAVAILABLE, Trouble.CUT_BEFORE],
    }

    def __init__(self, server: DiscordServer) -> None:
        self._server = server
        server.retry_after = 0.4

    @property
    def settings(self) -> dict[str, str]:
        return {"TOKEN": TOKEN, "API_URL": self._server.url}

    @property
    def waiting_troubles(self) -> Mapping[str, list[Any]]:
        return self._server.troubles

    def places(self, count: int) -> list[Place]:
        private = [Place(self.name, str(1000 + number), is_private=True) for number in range(count // 2)]
        threads = [Place(self.name, _CHANNEL, str(3000 + number)) for number in range(count - len(private))]
        self._server.room(_CHANNEL)
        for place in private:
            self._server.room(place.chat, DM)
        for place in threads:
            self._server.room(place.thread, THREAD, parent_id=_CHANNEL)
        return [*private, *threads]

    def is_heard(self) -> bool:
        return any(session.socket is not None for session in self._server.gateway.sessions.values())

    async def write(self, place: Place, text: str) -> tuple[Place, str]:
        return place, await self._server.write(place.thread or place.chat, text)

    async def repeat(self, chance: random.Random) -> int:
        for session in list(self._server.gateway.sessions.values()):
            messages = [event for event in session.events if event[0] == "MESSAGE_CREATE"]
            if messages:
                await session.dispatch(*chance.choice(messages[-_REPEATED:]))
                return 1
        return 0

    async def disconnect(self, chance: random.Random) -> int:
        gateway = self._server.gateway
        kind = chance.choice(["reconnect", "cut", "forget"])
        if kind == "reconnect":
            await gateway.say(RECONNECT)
        else:
            gateway.cut()
            if kind == "forget" and self._are_all_answered():
                # What was on its way is gone with the session: only chats that the bot knows are read again.
                gateway.forget()
        return 1

    async def mind(self) -> None:
        """It sends what it has at once."""

    def _are_all_answered(self) -> bool:
        return all(room.said for room in self._server.rooms.values() if room.messages)

    def left_over(self) -> list[str]:
        return []  # It ends by itself after some seconds.

    def shown(self) -> list[Shown]:
        return [
            self._shown(room, message)
            for room in self._server.rooms.values()
            for message in room.messages.values()
            if message["author"]["id"] == BOT_ID
        ]

    def _shown(self, room: Room, message: dict[str, Any]) -> Shown:
        chat, thread = (room.id, "") if room.parent_id is None else (room.parent_id, room.id)
        reply_to = message.get("message_reference", {}).get("message_id", "")
        return Shown(Place(self.name, chat, thread, room.type == DM), message["id"], message["content"], reply_to)
