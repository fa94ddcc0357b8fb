"""Turns exceptions into JSON error responses: in OpenAI's shape under /v1, and in our own elsewhere."""

from collections.abc import Mapping

from msgspec import UNSET, UnsetType
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from wakeful import errors
from wakeful.errors import SessionBusy, WakefulError
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.body_room import NoRoom
from wakeful.wire.error_types import Failure, Problem, api_problem, short_sentence

_API_PATH = "/v1/"
# Codes that OpenAI's clients know under another name.
_API_CODES = {"body_too_large": "request_too_large"}
_NAMED = {
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take this method."),
}


class InvalidRequest(WakefulError):
    """The request cannot be understood."""

    def __init__(self, message: str, *, param: str | None = None) -> None:
        """`param` is the path of the field, such as tools[0].name."""
        super().__init__(message)
        self.param = param


class BodyTooLarge(WakefulError):
    """The body of the request is too large."""


# Status and code by error class. An error whose class is not listed is answered as its nearest listed base class.
_ANSWERS: Mapping[type[WakefulError], tuple[int, str]] = {
    InvalidRequest: (400, "invalid_request"),
    errors.MessageUnusable: (400, "invalid_request"),
    BodyTooLarge: (413, "body_too_large"),
    NoRoom: (503, "busy"),
    errors.AttachmentUnusable: (400, "invalid_request"),
    errors.AttachmentTooLarge: (413, "too_large"),
    errors.AttachmentNotFound: (404, "not_found"),
    errors.SessionNotFound: (404, "not_found"),
    errors.TurnNotFound: (404, "not_found"),
    errors.TaskNotFound: (404, "not_found"),
    errors.McpServerNotFound: (404, "not_found"),
    errors.LoginNotFound: (404, "not_found"),
    errors.ApprovalNotFound: (404, "not_found"),
    errors.GrantNotFound: (404, "not_found"),
    errors.PostNotFound: (404, "not_found"),
    errors.NoSuchCode: (404, "not_found"),
    errors.PairingNotFound: (404, "not_found"),
    errors.JobNotFound: (404, "not_found"),
    errors.HookNotFound: (404, "not_found"),
    errors.BadSignature: (401, "bad_signature"),
    errors.NotAllowed: (403, "not_allowed"),
    errors.PostNotOpen: (409, "wrong_state"),
    errors.OnceOnly: (400, "once_only"),
    errors.NoFolderToGrant: (400, "invalid_request"),
    errors.SessionBusy: (409, "session_busy"),
    errors.NotQueued: (409, "not_queued"),
    errors.NothingToCompact: (409, "nothing_to_compact"),
    errors.NothingToUndo: (409, "nothing_to_undo"),
    errors.AlreadyAnswered: (409, "already_answered"),
    errors.EngineStopping: (503, "stopping"),
    errors.StoreError: (503, "store_unavailable"),
}
_RETRY = {"retry-after": "2"}


def error_response(
    status: int,
    code: str,
    message: str,
    headers: Mapping[str, str] | None = None,
    *,
    path: str = "",
    param: str | None = None,
    active_stream_id: str | UnsetType | None = UNSET,
) -> JsonAnswer:
    """Build an error response. Under /v1 it has OpenAI's shape, which adds the error's type and parameter."""
    if path.startswith(_API_PATH):
        return JsonAnswer(api_problem(status, _API_CODES.get(code, code), message, param), status, headers)
    failure = Failure(code=code, message=short_sentence(message), active_stream_id=active_stream_id)
    return JsonAnswer(Problem(error=failure), status, headers)


async def answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code, message = _NAMED.get(error.status_code, ("request_failed", error.detail))
    if error.status_code == 404 and request.url.path.endswith("/"):
        message += " Leave out the slash at its end."
    headers = {"allow": _allowed_methods(request)} if error.status_code == 405 else error.headers
    return error_response(error.status_code, code, message, headers, path=request.url.path)


def _allowed_methods(request: Request) -> str:
    """Return the methods of all routes at this address. Starlette's router lists those of the first match only."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    here = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    return ", ".join(sorted({method for route in here for method in route.methods or ()}))


async def answer_known_error(request: Request, error: Exception) -> Response:
    """Answer an error that is listed in _ANSWERS; any other is a bug and is raised again."""
    answer = next((_ANSWERS[kind] for kind in type(error).__mro__ if kind in _ANSWERS), None)
    if answer is None:
        raise error
    status, code = answer
    return error_response(
        status,
        code,
        str(error),
        _RETRY if status == 503 else None,
        path=request.url.path,
        param=error.param if isinstance(error, InvalidRequest) else None,
        active_stream_id=error.active_turn_id if isinstance(error, SessionBusy) else UNSET,
    )


async def answer_gone(request: Request, error: Exception) -> Response:
    """Answer a client that disconnected in the middle of its request. The response is never read."""
    return Response(status_code=400)


async def answer_broken(request: Request, error: Exception) -> Response:
    """Answer an unexpected error; the server logs its traceback."""
    message = "Something broke inside the server; its log has the details."
    return error_response(500, "internal_error", message, path=request.url.path)
