"""What people do on Slack as what the ingress takes in; None for what is never a turn."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from msgspec import ValidationError, convert

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.inbound.commands import parse_command
from wakeful.gateway.messaging.platform import IncomingMessage, OfferedFile, Press
from wakeful.gateway.platforms.slack.client import SlackClient
from wakeful.gateway.platforms.slack.names import SlackNames
from wakeful.gateway.platforms.slack.wire import SlackCommand, SlackFile, SlackMessage, SlackPress
from wakeful.gateway.platforms.slack.words import mentions, slack_words
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.session import Address, Sender

# Of the many kinds of messages those that a person has written.
_WRITTEN = frozenset({"", "file_share", "me_message", "thread_broadcast"})
# Slack's own account.
_SLACKBOT = "USLACKBOT"
# Files that Slack does not have: of other services, deleted, or beyond what a free workspace keeps.
_ELSEWHERE = frozenset({"external", "tombstone", "hidden_by_limit"})

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SlackBot:
    user_id: str
    name: str


class SlackReader:
    def __init__(self, bot: SlackBot, client: SlackClient, names: SlackNames) -> None:
        self._bot = bot
        self._client = client
        self._names = names

    def is_turn(self, message: SlackMessage) -> bool:
        """Whether a person has written it, and not the bot, another one, or Slack."""
        is_person = bool(message.user) and message.user not in (self._bot.user_id, _SLACKBOT) and not message.bot_id
        return is_person and message.subtype in _WRITTEN and bool(message.ts and message.channel)

    async def message(self, message: SlackMessage) -> IncomingMessage | None:
        words = await slack_words(message.text, self._bot.user_id, self._names)
        attachments = self._attachments([await self._whole(file) for file in message.files])
        if not words and not attachments:
            return None
        return IncomingMessage(
            _kind(message.channel, message.channel_type),
            await self._address(message),
            words,
            is_for_bot=self._is_for_bot(message, words),
            attachments=attachments,
        )

    async def command(self, command: SlackCommand, message_id: str) -> IncomingMessage:
        """Return `/wakeful word …` as the message `/word …`."""
        kind = _kind(command.channel_id)
        name = await self._names.user(command.user_id, command.user_name)
        chat_name = await self._chat_name(kind, command.channel_id, name)
        sender = Sender(message_id, command.user_id, name, chat_name)
        words = command.text.strip().lstrip("/!") or "help"
        return IncomingMessage(kind, Address("slack", command.channel_id, "", sender), f"/{words}", is_for_bot=True)

    async def press(self, press: SlackPress) -> Press | None:
        if press.type != "block_actions" or not press.actions or not press.actions[0].value:
            return None
        channel, shown = press.channel.id, press.message
        user = press.user
        name = await self._names.user(user.id, user.name or user.username)
        sender = Sender(shown.ts, user.id, name, press.channel.name)
        address = Address("slack", channel, shown.thread_ts, sender)
        return Press(address, _kind(channel), press.actions[0].value, shown.ts)

    def _is_for_bot(self, message: SlackMessage, words: str) -> bool:
        command = parse_command(words)
        return (
            mentions(message.text, self._bot.user_id)
            or message.parent_user_id == self._bot.user_id
            or (command is not None and command.is_known)
        )

    async def _address(self, message: SlackMessage) -> Address:
        kind = _kind(message.channel, message.channel_type)
        name = await self._names.user(message.user)
        sender = Sender(message.ts, message.user, name, await self._chat_name(kind, message.channel, name))
        return Address("slack", message.channel, _thread_id(message, kind), sender)

    async def _chat_name(self, kind: ChatKind, channel: str, user_name: str) -> str:
        return user_name if kind is ChatKind.PRIVATE else await self._names.channel(channel)

    async def _whole(self, file: SlackFile) -> SlackFile:
        if file.file_access != "check_file_info":
            return file
        try:
            return convert((await self._client.call("files.info", file=file.id))["file"], SlackFile)
        except (WakefulError, ValidationError) as error:
            logger.warning("A file on Slack cannot be read: %s", error)
            return file

    def _attachments(self, files: Sequence[SlackFile]) -> list[OfferedFile]:
        return [
            OfferedFile(file.name or "file", file.size, partial(self._client.download, address))
            for file in files
            if file.mode not in _ELSEWHERE and (address := file.url_private_download or file.url_private)
        ]


def _thread_id(message: SlackMessage, kind: ChatKind) -> str:
    """Return the thread that a message is answered in. At the top of a channel it begins one of its own."""
    return message.thread_ts or ("" if kind is ChatKind.PRIVATE else message.ts)


def _kind(channel: str, channel_type: str = "") -> ChatKind:
    """Mentions, commands and presses do not say the type of their channel."""
    is_direct = channel_type == "im" or channel.startswith("D")
    return ChatKind.PRIVATE if is_direct else ChatKind.GROUP
