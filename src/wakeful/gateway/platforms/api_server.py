"""The adapter of the API for programs. Its answers end with the request, so nothing can be delivered later."""

from contextvars import Token
from typing import Any

from wakeful.context import set_session_cwd, set_session_vars
from wakeful.gateway.platforms.base import BasePlatformAdapter
from wakeful.model.turn import Turn


class APIServerAdapter(BasePlatformAdapter):
    name = "api_server"
    supports_async_delivery = False
    # An approval needs a route by which the client can answer it.
    can_ask = False

    def bind_turn(self, turn: Turn) -> list[Token[Any]]:
        tokens = self._bind_api_server_session(
            chat_id=turn.address.chat_id, session_key=turn.session_id, session_id=turn.session_id
        )
        return [*tokens, set_session_cwd(turn.workspace)]

    @staticmethod
    def _bind_api_server_session(*, chat_id: str = "", session_key: str = "", session_id: str = "") -> list[Token[Any]]:
        """Bind a turn of this door. No parameter can claim that it delivers later."""
        return set_session_vars(
            platform=APIServerAdapter.name,
            chat_id=chat_id,
            session_key=session_key,
            session_id=session_id,
            async_delivery=False,
        )
