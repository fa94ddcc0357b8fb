"""An adapter: one door, what it can do, and how the turns that came through it are bound to the context."""

from contextvars import Token
from typing import Any, ClassVar

from wakeful.context import set_session_vars
from wakeful.model.turn import Door, Turn


class BasePlatformAdapter:
    name: str
    # Whether something can reach the user after the turn. An adapter whose answers end with the request opts out here.
    supports_async_delivery: ClassVar[bool] = True
    # Whether somebody is there to be asked for an approval.
    can_ask: ClassVar[bool] = True

    @classmethod
    def door(cls) -> Door:
        """What is written into the inbox row of everything that comes in here."""
        return Door(cls.name, cls.supports_async_delivery)

    def bind_turn(self, turn: Turn) -> list[Token[Any]]:
        """Bind the current context to the turn, by its own columns: a resumed turn has nothing else."""
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
