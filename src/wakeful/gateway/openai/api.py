"""What every route of the OpenAI-compatible API works with, handed in by app.py."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.requests import Request

from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Submission
from wakeful.gateway.openai.errors import ApiError
from wakeful.model.event import StreamItem
from wakeful.model.ids import new_id
from wakeful.model.request import MCP_CALL, TurnRequest
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door, Turn
from wakeful.store.base import Store, Transaction
from wakeful.wire.sse import StreamSettings

_RESPONSE = "resp_"
_TURN = "turn_"


@dataclass(frozen=True, slots=True)
class Api:
    engine: Engine
    store: Store
    door: Door
    # The full name of a model that a client names in its own way; None when there is none. For a name that is not known
    # it may take a moment.
    resolve_model: Callable[[str], Awaitable[str | None]]
    # The catalogue: name, time and owner of each model.
    models: Callable[[], Sequence[tuple[str, int, str]]]
    # Whoever holds this name sees everything; others see what they own.
    operator: str
    workspace: str
    # The names of the server's tools, and how calls of them are told.
    tools: frozenset[str] = frozenset()
    tool_items: str = MCP_CALL
    streams: StreamSettings = field(default_factory=StreamSettings)

    @property
    def address(self) -> Address:
        return Address(self.door.name)

    async def require_model(self, name: str, *, status: int) -> str:
        """The full name of the model that a client names. Raises ApiError."""
        model = await self.resolve_model(name)
        if model is None:
            raise ApiError(status, "model_not_found", f"There is no model {name!r}.", param="model")
        return model

    def submission(
        self,
        session_id: str,
        model: str,
        inputs: Sequence[Mapping[str, Any]],
        request: TurnRequest,
        *,
        from_checkpoint: bool = True,
    ) -> Submission:
        """The one way in which this API says something: always through its own door."""
        turn_id = new_id("turn")
        return Submission(
            session_id=session_id,
            text="",
            door=self.door,
            address=self.address,
            dedupe_key=turn_id,
            model=model,
            inputs=inputs,
            request=self.marked(request),
            from_checkpoint=from_checkpoint,
            turn_id=turn_id,
        )

    def marked(self, request: TurnRequest) -> TurnRequest:
        """The request with what the server decides about it now and keeps to later."""
        return replace(request, tool_items=self.tool_items)

    def follow(self, session_id: str, turn_id: str) -> AsyncGenerator[list[StreamItem], None]:
        """All of a turn, to its end. Its readers number what they have seen themselves, so nothing is told anew."""
        return self.engine.subscribe_turn(session_id, turn_id, starts_over=False)

    def may_see(self, request: Request, owner: str) -> bool:
        principal: str = request.state.principal
        return principal in (self.operator, owner)

    async def find_turn(self, tx: Transaction, request: Request, turn_id: str) -> tuple[Turn, Session] | None:
        """None also for what belongs to somebody else, is no object of the API, or was deleted."""
        turn = await tx.turns.get(turn_id)
        session = None if turn is None else await tx.sessions.get(turn.session_id)
        if turn is None or session is None or turn.is_hidden or turn.door.name != self.door.name:
            return None
        if session.is_deleted:
            return None
        return (turn, session) if self.may_see(request, session.owner) else None


def response_id(turn_id: str) -> str:
    return _RESPONSE + turn_id.removeprefix(_TURN)


def turn_id_of(response: str) -> str:
    """Some name that no turn has, when it is no id of a response."""
    return _TURN + response.removeprefix(_RESPONSE) if response.startswith(_RESPONSE) and "\0" not in response else ""
