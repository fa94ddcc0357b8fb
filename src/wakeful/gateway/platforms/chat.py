"""The doors of messaging platforms: the message that a turn answers stands in its row, and so in its context."""

from contextvars import Token
from typing import Any

from wakeful.context import set_session_vars
from wakeful.gateway.platforms.base import BasePlatformAdapter
from wakeful.model.turn import Turn


class ChatAdapter(BasePlatformAdapter):
    def bind_turn(self, turn: Turn) -> list[Token[Any]]:
        address, sender = turn.address, turn.address.sender
        return set_session_vars(
            platform=self.name,
            source=turn.source,
            chat_id=address.chat_id,
            chat_name=sender.chat_name,
            thread_id=address.thread_id,
            user_id=sender.user_id,
            user_name=sender.user_name,
            session_key=sender.chat_key or turn.session_id,
            session_id=turn.session_id,
            message_id=sender.message_id,
            cwd=turn.workspace,
            async_delivery=turn.door.async_delivery,
        )


class TelegramAdapter(ChatAdapter):
    name = "telegram"


class DiscordAdapter(ChatAdapter):
    name = "discord"


class SlackAdapter(ChatAdapter):
    name = "slack"


CHAT_ADAPTERS: dict[str, type[ChatAdapter]] = {
    adapter.name: adapter for adapter in (TelegramAdapter, DiscordAdapter, SlackAdapter)
}


class HookAdapter(ChatAdapter):
    """A hook without a chat to deliver to runs its turns in a session of its own, which the page shows."""

    name = "hook"
