"""The error responses of routes outside of /v1, as the OpenAPI document describes them."""

from wakeful.wire.error_types import Problem
from wakeful.wire.openapi import TEXT, json_answer, with_headers
from wakeful.wire.schema import Json

RETRY_AFTER: Json = {"description": "Seconds to wait.", "required": True, "schema": {"type": "integer", "minimum": 1}}
WWW_AUTHENTICATE: Json = {"description": "Bearer.", "required": True, "schema": TEXT}

_REFUSALS = {
    400: json_answer("The request cannot be understood; `message` says why.", Problem),
    401: with_headers(json_answer("No key, or a wrong one.", Problem), {"www-authenticate": WWW_AUTHENTICATE}),
    403: json_answer("`not_allowed`: you, or a command of the agent, may not do that; or `foreign_origin`.", Problem),
    404: json_answer("There is no such thing, or it belongs to another key's holder.", Problem),
    409: json_answer("Not now; `code` says why.", Problem),
    413: json_answer("The body is larger than 4 MiB.", Problem),
    503: with_headers(
        json_answer("The server is stopping, or its database does not answer.", Problem), {"retry-after": RETRY_AFTER}
    ),
}


def refusals(*statuses: int) -> dict[int, Json]:
    """Return the responses with these statuses, and the 401 of every route that needs a key."""
    return {status: _REFUSALS[status] for status in {*statuses, 401}}
