"""The headers with which hermes-agent's clients name a session: a key of their choice, or its id."""

from typing import Annotated, TypeAlias

from msgspec import Meta
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.lanes.lane import ApiLane, Lanes
from wakeful.model.api.request import DEFAULT_MODEL
from wakeful.model.session import Session
from wakeful.store.base import Transaction
from wakeful.wire.declared import Incoming, says, words
from wakeful.wire.reading import read_texts

_SESSION_KEY_HEADER = "x-hermes-session-key"
SESSION_ID_HEADER = "x-hermes-session-id"
# Names by which a client leaves the choice of the model to the server.
_DEFAULTS = ("", DEFAULT_MODEL)


def _has_no_nul(value: str) -> bool:
    return "\0" not in value


_Name: TypeAlias = Annotated[str, Meta(max_length=256), says("{} must have at most 256 characters.", check=_has_no_nul)]


class SessionNames(Incoming, rename={"key": _SESSION_KEY_HEADER, "id": SESSION_ID_HEADER}):
    key: Annotated[_Name, words("Any name: requests with the same one share a session.")] = ""
    id: Annotated[_Name, words("The id of such a session, or of one on the page; it wins over the key.")] = ""


class SessionHeaders:
    def __init__(self, api: Api, lanes: Lanes) -> None:
        self._api = api
        self._lanes = lanes

    async def lane(self, request: Request, model: str) -> ApiLane:
        """Return the lane that the request's headers name, or a new one. A key is the name of a conversation; an id
        wins over it. Raises ApiError.
        """
        given = {
            name: _text(request.headers[name])
            for name in (_SESSION_KEY_HEADER, SESSION_ID_HEADER)
            if name in request.headers
        }
        named = read_texts(SessionNames, given)
        if named.id:
            return self._lane_of(await self._visible(request, named.id))
        return await self._lanes.find(request, model, named.key, "")

    def _lane_of(self, session: Session) -> ApiLane:
        """Return a lane that continues a session of the page or a terminal as those do: from its last turn, with the
        session's model.
        """
        if session.address.platform == self._api.door.name:
            return ApiLane(session.id)
        return ApiLane(session.id, from_checkpoint=False, model=session.model)

    async def _visible(self, request: Request, session_id: str) -> Session:
        async def body(tx: Transaction) -> Session | None:
            return await tx.sessions.get(session_id)

        found = await self._api.store.read(body)
        # The session of a sub-agent belongs to its delegation.
        is_lane = found is not None and not found.is_deleted and found.task_id is None
        if found is None or not is_lane or not self._api.may_see(request, found.owner):
            raise ApiError(404, "session_not_found", f"There is no session {session_id}.")
        return found


def model_in(lane: ApiLane, asked: str, found: str) -> str:
    """Return the model that answers: the lane's if the client `asked` for the default, else `found`, which is what the
    client's name for it resolved to.
    """
    return lane.model if lane.model and asked in _DEFAULTS else found


class WithSessionHeader:
    """Adds the id of the session to the headers of any answer."""

    def __init__(self, answer: ASGIApp, session_id: str) -> None:
        self._answer = answer
        self._header = (SESSION_ID_HEADER.encode(), session_id.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], self._header]}
            await send(message)

        await self._answer(scope, receive, send_named)


def _text(value: str) -> str:
    """Decode a header as UTF-8, which most clients send, so that a name is the same here and in a body."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeDecodeError:
        return value
