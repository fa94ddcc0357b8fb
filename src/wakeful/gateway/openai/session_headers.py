"""The headers by which hermes-agent's clients name a session: by a key of their own choice, or by its id."""

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.errors import ApiError, invalid
from wakeful.gateway.openai.lane import Lane, Lanes
from wakeful.model.session import Session
from wakeful.store.base import Transaction

_KEY = "x-hermes-session-key"
_ID = "x-hermes-session-id"
_LIMIT = 256
# What a client says that leaves the model to us.
_DEFAULTS = ("", "wakeful")


class SessionHeaders:
    def __init__(self, api: Api, lanes: Lanes) -> None:
        self._api = api
        self._lanes = lanes

    async def lane(self, request: Request, model: str) -> Lane:
        """The lane that the request names, a new one if it names none. A key is a name like a conversation's; the id
        wins. Raises ApiError.
        """
        session_id, key = _value(request, _ID), _value(request, _KEY)
        if session_id:
            return self._lane_of(await self._visible(request, session_id))
        return await self._lanes.find(request, model, key, "")

    def _lane_of(self, session: Session) -> Lane:
        """A session of the page or a terminal goes on as it does there: from its last turn, with its own model."""
        if session.address.platform == self._api.door.name:
            return Lane(session.id)
        return Lane(session.id, from_checkpoint=False, model=session.model)

    async def _visible(self, request: Request, session_id: str) -> Session:
        async def body(tx: Transaction) -> Session | None:
            return await tx.sessions.get(session_id)

        found = await self._api.store.read(body)
        # A sub-agent's session is its delegation's.
        is_lane = found is not None and not found.is_deleted and found.task_id is None
        if found is None or not is_lane or not self._api.may_see(request, found.owner):
            raise ApiError(404, "session_not_found", f"There is no session {session_id}.")
        return found


def model_in(lane: Lane, asked: str, found: str) -> str:
    """Who answers: `found` is what the name that the client `asked` for means, and nobody's choice where it is the
    default. A session may have a model of its own.
    """
    return lane.model if lane.model and asked in _DEFAULTS else found


class NamingItsSession:
    """An answer of any kind that also says which session it is about."""

    def __init__(self, answer: ASGIApp, session_id: str) -> None:
        self._answer = answer
        self._header = (_ID.encode(), session_id.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], self._header]}
            await send(message)

        await self._answer(scope, receive, send_named)


def _value(request: Request, name: str) -> str:
    value = _text(request.headers.get(name, ""))
    if len(value) > _LIMIT or "\0" in value:
        raise invalid(name, f"{name} must have at most {_LIMIT} characters.")
    return value


def _text(value: str) -> str:
    """What a header says, which is bytes: most clients send UTF-8, so that one name is the same here and in a body."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeDecodeError:
        return value
