"""What people wrote while the server was not connected: Slack does not send it later, so it is read."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Iterable
from functools import partial

from wakeful.gateway.messaging.needs import ChatsSince
from wakeful.gateway.messaging.persistence import until_done
from wakeful.gateway.platforms.slack.client import SlackRefusal
from wakeful.gateway.platforms.slack.history import SlackHistory, ts_order
from wakeful.gateway.platforms.slack.wire import SlackMessage
from wakeful.model.messaging.chat import Chat, ChatKind

# Older messages are not read, and not more of one chat.
_DAY_SECONDS = 86_400.0
_MOST = 200
# Chats that have been silent for longer are not looked into: each is a request, and Slack counts them.
_CHAT_SECONDS = 90 * _DAY_SECONDS
_THREAD_SECONDS = 7 * _DAY_SECONDS
_AT_ONCE = 4

logger = logging.getLogger(__name__)


class SlackCatchUp:
    def __init__(self, history: SlackHistory, chats: ChatsSince, *, retry_seconds: float) -> None:
        self._history = history
        self._chats = chats
        self._retry_seconds = retry_seconds
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._by_channel: defaultdict[str, list[Chat]] = defaultdict(list)

    async def load(self) -> None:
        """Note which chats are to be read."""
        chats = await self._chats(time.time() - _CHAT_SECONDS)
        # Where people wrote last they wait first.
        for chat in sorted(chats, key=lambda chat: -chat.last_at):
            self._by_channel[chat.chat_id].append(chat)

    @property
    def channels(self) -> list[str]:
        """Channels that have not been read yet."""
        return list(self._by_channel)

    async def missed(self, channel: str) -> list[SlackMessage]:
        """Return what was written in a channel since the last message that was taken in there; nothing the second time.

        Waits as long as Slack does not answer.
        """
        chats = self._by_channel.pop(channel, [])
        if not chats:
            return []
        async with self._slots:
            found = await self._top(channel, chats)
            for thread_id, after in self._threads(chats, found).items():
                found += await self._read(channel, thread_id, after)
        kind = "im" if chats[0].kind is ChatKind.PRIVATE else "channel"
        for message in found:
            message.channel, message.channel_type = channel, kind
        return list({message.ts: message for message in found if _is_after(message, chats)}.values())

    async def _top(self, channel: str, chats: list[Chat]) -> list[SlackMessage]:
        """Return messages that stand in no thread, and those that have begun one."""
        # What is written in a thread shows at the top only as the last reply to an older message.
        after = _yesterday() if _wide(chats) else _latest([_yesterday(), *_last_ids(chats)])
        return await self._read(channel, "", after)

    def _threads(self, chats: list[Chat], top: list[SlackMessage]) -> dict[str, str]:
        """Return the threads to read, each with the last message that is known of it."""
        recent = time.time() - _THREAD_SECONDS
        threads = {
            chat.thread_id: _latest([chat.last_message_id, _yesterday()])
            for chat in chats
            if chat.thread_id and chat.last_at >= recent
        }
        if wide := _wide(chats):
            after = _latest([_yesterday(), *_last_ids(wide)])
            begun = [message.ts for message in top if ts_order(message.latest_reply) > ts_order(after)]
            threads = dict.fromkeys(begun, after) | threads
        return threads

    async def _read(self, channel: str, thread_id: str, after: str) -> list[SlackMessage]:
        try_it = partial(self._try, channel, thread_id, after)
        return await until_done(try_it, "A chat on Slack could not be read", self._retry_seconds)

    async def _try(self, channel: str, thread_id: str, after: str) -> list[SlackMessage]:
        try:
            return await self._history.read(channel, thread_id, after, _MOST)
        except SlackRefusal as refusal:
            logger.warning("What was missed in %s on Slack cannot be read: %s", channel, refusal)
            return []


def _wide(chats: Iterable[Chat]) -> list[Chat]:
    """Return those whose session is that of a whole channel: it may hear of threads that it has not heard of yet."""
    return [chat for chat in chats if chat.thread_id not in chat.key.split(":")]


def _is_after(message: SlackMessage, chats: list[Chat]) -> bool:
    """Return whether it is newer than what was taken in last: by its thread, else its channel, else any thread."""
    of_thread = [chat for chat in chats if chat.thread_id and chat.thread_id == message.thread_ts]
    known = of_thread or _wide(chats) or chats
    return ts_order(message.ts) > ts_order(_latest(_last_ids(known)))


def _last_ids(chats: Iterable[Chat]) -> list[str]:
    return [chat.last_message_id for chat in chats]


def _latest(ids: list[str]) -> str:
    return max(ids, key=ts_order)


def _yesterday() -> str:
    return f"{time.time() - _DAY_SECONDS:.6f}"
