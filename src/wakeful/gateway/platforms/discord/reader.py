"""Messages of Discord in the words of the messaging doors."""

import re
from collections.abc import Collection
from functools import partial

import discord

from wakeful.gateway.messaging.platform import IncomingMessage, OfferedFile
from wakeful.gateway.platforms.discord.channels import DiscordChannels
from wakeful.gateway.platforms.discord.client import DiscordClient

_WRITTEN_BY_PEOPLE = frozenset({discord.MessageType.default, discord.MessageType.reply})
_PRIVATE_CHANNELS = (discord.DMChannel, discord.GroupChannel)
_COMMAND = re.compile(r"[/!]([A-Za-z]+)(?!\S)")


class DiscordReader:
    def __init__(self, client: DiscordClient, channels: DiscordChannels, commands: Collection[str]) -> None:
        """`commands`: the words that are for the bot in a group without a mention."""
        self._client = client
        self._channels = channels
        self._commands = commands

    async def read(self, message: discord.Message) -> IncomingMessage | None:
        """Return nothing for what no person has written. Raises as `DiscordClient.call` does."""
        if message.author.bot or message.webhook_id is not None or message.type not in _WRITTEN_BY_PEOPLE:
            return None
        is_private = isinstance(message.channel, _PRIVATE_CHANNELS)
        channel = await self._channels.find(message.channel.id, is_private=is_private)
        written, attached = _content(message)
        text = self._mention.sub("", written).strip()
        return IncomingMessage(
            channel.kind,
            channel.address(message.id, message.author),
            text,
            is_for_bot=self._is_for_bot(message, text),
            quoted="" if (answered := _answered(message)) is None else answered.content,
            attachments=[self._attachment(file) for file in attached],
        )

    def _is_for_bot(self, message: discord.Message, text: str) -> bool:
        answered = _answered(message)
        if answered is not None and answered.author.id == self._client.bot.id:
            return True
        command = _COMMAND.match(text)
        return self._mention.search(message.content) is not None or (
            command is not None and command[1].lower() in self._commands
        )

    @property
    def _mention(self) -> re.Pattern[str]:
        # Discord gives the bot a role of the same name, and people pick one for the other.
        names = [f"!?{self._client.bot.id}", *(f"&{role}" for role in self._client.own_roles)]
        # The space after it goes too, so that none is left double.
        return re.compile(rf"<@(?:{'|'.join(names)})> ?")

    def _attachment(self, file: discord.Attachment) -> OfferedFile:
        return OfferedFile(file.filename, file.size, partial(self._client.download, file.url))


def _content(message: discord.Message) -> tuple[str, list[discord.Attachment]]:
    """Return the words and files of a message; those of another one, if it was forwarded."""
    forwarded = message.message_snapshots
    words = [message.content, *(snapshot.content for snapshot in forwarded)]
    files = [*message.attachments, *(file for snapshot in forwarded for file in snapshot.attachments)]
    return "\n".join(filter(None, words)), files


def _answered(message: discord.Message) -> discord.Message | None:
    """Return the message that this one replies to, unless it was deleted."""
    resolved = None if message.reference is None else message.reference.resolved
    return resolved if isinstance(resolved, discord.Message) else None
