"""The base of all adapters: what a door can do, and how its turns are bound to the context."""

from contextvars import Token
from typing import Any, ClassVar

from wakeful.context import set_session_vars
from wakeful.model.turn import Door, Turn


class BasePlatformAdapter:
    name: str
    # Whether anything can be delivered to the user after the turn. Adapters whose answers end with the request opt out.
    supports_async_delivery: ClassVar[bool] = True
    # Whether a person can be asked for an approval.
    can_ask: ClassVar[bool] = True

    @classmethod
    def door(cls) -> Door:
        """Return what is written into the inbox rows of messages that come in through this door."""
        return Door(cls.name, cls.supports_async_delivery)

    def bind_turn(self, turn: Turn) -> list[Token[Any]]:
        """Bind the current context to the turn, using only its row: a resumed turn has nothing else."""
        return set_session_vars(
            platform=self.name,
            source=turn.source,
            chat_id=turn.address.chat_id,
            thread_id=turn.address.thread_id,
            session_key=turn.session_id,
            session_id=turn.session_id,
            message_id=turn.message_id,
            cwd=turn.workspace,
            async_delivery=turn.door.async_delivery and self.supports_async_delivery,
        )
