"""Which chat and thread a channel of Discord is: a thread is a channel with a parent, which is its chat."""

from dataclasses import dataclass
from typing import Any

import discord
from discord.http import Route

from wakeful.gateway.messaging.platform import Refused
from wakeful.gateway.platforms.discord.client import DiscordClient
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.session import Address, Sender

# Announcement threads, public and private ones.
_THREAD_TYPES = frozenset({10, 11, 12})
_PRIVATE_TYPES = frozenset({1, 3})


@dataclass(frozen=True, slots=True)
class DiscordChannel:
    kind: ChatKind
    chat_id: str
    thread_id: str = ""
    name: str = ""

    @property
    def id(self) -> str:
        return self.thread_id or self.chat_id

    def address(self, message_id: int, user: discord.User | discord.Member) -> Address:
        name = user.display_name
        sender = Sender(str(message_id), str(user.id), name, self.name or name)
        return Address("discord", self.chat_id, self.thread_id, sender)


class DiscordChannels:
    def __init__(self, client: DiscordClient) -> None:
        self._client = client
        self._known: dict[int, DiscordChannel] = {}

    def learn(self, chat: Chat) -> str:
        """Return the id of the channel that a chat was last written to in."""
        found = DiscordChannel(chat.kind, chat.chat_id, chat.thread_id, chat.name)
        self._known[int(found.id)] = found
        return found.id

    async def find(self, id: int, *, is_private: bool) -> DiscordChannel:
        """Ask Discord once for each channel. Raises as `DiscordClient.call` does, except Refused."""
        if is_private:
            return DiscordChannel(ChatKind.PRIVATE, str(id))
        if id not in self._known:
            self._known[id] = _cached(self._client, id) or await self._ask(id)
        return self._known[id]

    async def _ask(self, id: int) -> DiscordChannel:
        try:
            return _asked(await self._client.call(Route("GET", "/channels/{channel_id}", channel_id=id)))
        except Refused:
            # The bot has lost its rights since: the message can still be read.
            return DiscordChannel(ChatKind.GROUP, str(id))


def channel_id(address: Address) -> str:
    """Return the id of the channel that messages to an address go to."""
    return address.thread_id or address.chat_id


def _cached(client: DiscordClient, id: int) -> DiscordChannel | None:
    found = client.get_channel(id)
    if isinstance(found, discord.Thread):
        return DiscordChannel(ChatKind.GROUP, str(found.parent_id), str(id), found.name)
    if isinstance(found, discord.abc.GuildChannel):
        return DiscordChannel(ChatKind.GROUP, str(id), name=found.name)
    return None


def _asked(found: dict[str, Any]) -> DiscordChannel:
    name = found.get("name") or ""
    if found["type"] in _THREAD_TYPES:
        return DiscordChannel(ChatKind.GROUP, found["parent_id"], found["id"], name)
    kind = ChatKind.PRIVATE if found["type"] in _PRIVATE_TYPES else ChatKind.GROUP
    return DiscordChannel(kind, found["id"], name=name)
