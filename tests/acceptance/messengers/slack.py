"""Slack as people use it: direct messages, and threads of a channel that begin with a mention at its top."""

import html
import random
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from tests.acceptance.messengers.messenger import Place, Shown
from tests.platforms.slack_server import APP_TOKEN, BOT, BOT_TOKEN, SlackServer, Trouble

_CHANNEL = "C1"
_REPEATED = 20
_AGAIN_SECONDS = 1.0


class SlackMessenger:
    name = "slack"
    troubles: Mapping[str, Sequence[StrEnum]] = {
        "chat.postMessage": [
            Trouble.LIMITED,
            Trouble.BROKEN,
            Trouble.CUT_BEFORE,
            Trouble.CUT_AFTER,
            Trouble.SILENT,
            Trouble.FATAL,
            Trouble.UNREADABLE,
        ],
        "chat.update": [Trouble.LIMITED, Trouble.BROKEN, Trouble.CUT_BEFORE, Trouble.CUT_AFTER],
        "conversations.replies": [Trouble.LIMITED, Trouble.BROKEN, Trouble.CUT_BEFORE],
        "conversations.history": [Trouble.LIMITED, Trouble.BROKEN, Trouble.CUT_BEFORE],
        "reactions.add": [Trouble.LIMITED, Trouble.BROKEN, Trouble.CUT_BEFORE, Trouble.CUT_AFTER],
        "reactions.remove": [Trouble.LIMITED, Trouble.BROKEN, Trouble.CUT_BEFORE, Trouble.CUT_AFTER],
        "apps.connections.open": [Trouble.BROKEN, Trouble.CUT_BEFORE],
    }

    def __init__(self, server: SlackServer) -> None:
        self._server = server
        server.retry_after = 0.4
        self._again_at = 0.0

    @property
    def settings(self) -> dict[str, str]:
        return {"BOT_TOKEN": BOT_TOKEN, "APP_TOKEN": APP_TOKEN, "API_URL": f"{self._server.root}/api/"}

    @property
    def waiting_troubles(self) -> Mapping[str, list[Any]]:
        return self._server.troubles

    def places(self, count: int) -> list[Place]:
        private = [Place(self.name, f"D{number}", is_private=True) for number in range(count // 2)]
        self._server.channel(_CHANNEL)
        for place in private:
            self._server.channel(place.chat)
        return [*private, *[Place(self.name, _CHANNEL)] * (count - len(private))]

    def is_heard(self) -> bool:
        return bool(self._server.lines)

    async def write(self, place: Place, text: str) -> tuple[Place, str]:
        is_top = not place.is_private and not place.thread
        words = html.escape(text, quote=False)
        thread = {"thread_ts": place.thread} if place.thread else {}
        ts = await self._server.write(place.chat, f"<@{BOT}> {words}" if is_top else words, **thread)
        return (Place(self.name, place.chat, ts) if is_top else place), ts

    async def repeat(self, chance: random.Random) -> int:
        written = [
            (channel, message)
            for channel in self._server.channels.values()
            for message in list(channel.messages.values())[-_REPEATED:]
            if message["user"] != BOT
        ]
        if not written or not self._server.lines:
            return 0
        channel, message = chance.choice(written)
        kind = "im" if channel.is_direct else "channel"
        await self._server.event(**message, channel=channel.id, channel_type=kind)
        return 1

    async def disconnect(self, chance: random.Random) -> int:
        if not self._server.lines:
            return 0
        if chance.random() < 0.5:
            await self._server.cut()
        else:
            await self._server.disconnect("refresh_requested")
        return 1

    async def mind(self) -> None:
        """Send again what was not acknowledged; the real one waits longer."""
        if self._server.unacknowledged and time.monotonic() > self._again_at:
            self._again_at = time.monotonic() + _AGAIN_SECONDS
            await self._server.send_again()

    def left_over(self) -> list[str]:
        return [f"{names} on {ts} in {channel}" for (channel, ts), names in self._server.reactions.items() if names]

    def shown(self) -> list[Shown]:
        return [
            self._shown(channel.id, channel.is_direct, message)
            for channel in self._server.channels.values()
            for message in channel.said
        ]

    def _shown(self, channel: str, is_direct: bool, message: dict[str, Any]) -> Shown:
        place = Place(self.name, channel, message.get("thread_ts", ""), is_direct)
        return Shown(place, message["ts"], html.unescape(message["text"]), "")
