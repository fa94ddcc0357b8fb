"""What every route of the OpenAI-compatible API works with. app.py builds it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.requests import Request

from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Submission
from wakeful.gateway.openai.errors import ApiError
from wakeful.model.api.request import MCP_CALL, TurnRequest
from wakeful.model.event import Event, StreamItem
from wakeful.model.ids import new_id
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door, Turn
from wakeful.store.base import Store, Transaction
from wakeful.wire.body import read_object
from wakeful.wire.sse import StreamSettings

_RESPONSE = "resp_"
_TURN = "turn_"
_BODY_KIB = 16 * 1024


async def _no_tools(choice: object) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True, slots=True)
class Api:
    engine: Engine
    store: Store
    door: Door
    # Returns the full name of the model that a client means, or None. It may wait for the catalogue.
    resolve_model: Callable[[str], Awaitable[str | None]]
    # The catalogue: id, time of creation and owner of each model.
    models: Callable[[], Sequence[tuple[str, int, str]]]
    # The principal that sees everything; others see what they own.
    operator: str
    workspace: str
    # Returns the names of the server's tools from which a request makes this choice.
    tools: Callable[[object], Awaitable[frozenset[str]]] = _no_tools
    # The type of item that their calls are shown as.
    tool_items: str = MCP_CALL
    streams: StreamSettings = field(default_factory=StreamSettings)

    @property
    def address(self) -> Address:
        return Address(self.door.name)

    async def require_model(self, name: str, *, status: int) -> str:
        """Return the full name of the model that the client means. Raises ApiError with this status."""
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
        """Return a submission through this API's door, with a new turn id that is also its dedupe key."""
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
        """Return the request with the server's present choice of tool items, which holds for the whole turn."""
        return replace(request, tool_items=self.tool_items)

    def follow(self, session_id: str, turn_id: str) -> AsyncGenerator[list[StreamItem], None]:
        """Yield the whole log of a turn in pages. A page is empty when the reader has caught up for the first time.

        The readers number their frames themselves, so lost words need not make the log start over.
        """
        return self.engine.subscribe_turn(session_id, turn_id, starts_over=False)

    def may_see(self, request: Request, owner: str) -> bool:
        principal: str = request.state.principal
        return principal in (self.operator, owner)

    async def find_turn(self, tx: Transaction, request: Request, turn_id: str) -> tuple[Turn, Session] | None:
        """Return the turn and its session, or None if it is deleted, another door's, or not for this client to see."""
        turn = await tx.turns.get(turn_id)
        session = None if turn is None else await tx.sessions.get(turn.session_id)
        if turn is None or session is None or turn.is_hidden or turn.door.name != self.door.name:
            return None
        if session.is_deleted:
            return None
        return (turn, session) if self.may_see(request, session.owner) else None


async def read_api_body(request: Request) -> dict[str, Any]:
    """Return the JSON object in the request's body. Raises InvalidRequest and BodyTooLarge."""
    return await read_object(request, kib=_BODY_KIB, may_be_empty=False)


def ends_turn(page: Sequence[StreamItem]) -> bool:
    """Return whether the page has the last event of its turn."""
    return bool(page) and isinstance(page[-1], Event) and page[-1].is_final


def response_id(turn_id: str) -> str:
    return _RESPONSE + turn_id.removeprefix(_TURN)


def turn_id_of(response: str) -> str:
    """Return the id of the response's turn; for a malformed response id, a turn id that cannot exist."""
    return _TURN + response.removeprefix(_RESPONSE) if response.startswith(_RESPONSE) and "\0" not in response else ""
