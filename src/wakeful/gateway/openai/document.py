"""What several families share in the OpenAPI document: how the routes under /v1 refuse, and the session headers."""

from wakeful.gateway.openai.session_headers import SESSION_ID_HEADER, SessionNames
from wakeful.wire.error_types import ApiProblem
from wakeful.wire.openapi import TEXT, choice, json_answer, with_headers
from wakeful.wire.refusals import RETRY_AFTER, WWW_AUTHENTICATE
from wakeful.wire.schema import Json, parameters

SESSION_PARAMETERS = parameters(SessionNames, "header")
SESSION_HEADER: dict[str, Json] = {
    SESSION_ID_HEADER: {"description": "The session that it belongs to.", "required": True, "schema": TEXT}
}

_SHOULD_RETRY: Json = {"description": "`false` if a retry cannot help.", "schema": choice("false")}

_REFUSALS = {
    400: json_answer("The request cannot be understood; `param` names what is wrong.", ApiProblem),
    401: with_headers(json_answer("No key, or a wrong one.", ApiProblem), {"www-authenticate": WWW_AUTHENTICATE}),
    403: json_answer("`not_allowed`: a command of the agent may not answer for a person.", ApiProblem),
    404: json_answer("It does not exist, or belongs to another key.", ApiProblem),
    409: with_headers(json_answer("Not possible now; `code` says why.", ApiProblem), {"x-should-retry": _SHOULD_RETRY}),
    413: json_answer("The body is larger than 16 MiB.", ApiProblem),
    429: with_headers(json_answer("Too many requests are running.", ApiProblem), {"retry-after": RETRY_AFTER}),
    503: with_headers(
        json_answer("The server is stopping, or its database is unavailable.", ApiProblem), {"retry-after": RETRY_AFTER}
    ),
}
# Any request may get one of these.
_ALWAYS = (401, 429, 503)


def api_refusals(*statuses: int) -> dict[int, Json]:
    """Return what the document says of these statuses, and of those that any request may get."""
    return {status: _REFUSALS[status] for status in {*statuses, *_ALWAYS}}
