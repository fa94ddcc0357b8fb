"""What the document says of errors outside of /v1: one shape, and which status means what."""

from wakeful.wire.openapi import TEXT, Json, json_answer, record, ref, with_headers

RETRY_AFTER: Json = {"description": "Seconds to wait.", "required": True, "schema": {"type": "integer", "minimum": 1}}
WWW_AUTHENTICATE: Json = {"description": "Bearer.", "required": True, "schema": TEXT}

_PROBLEM = ref("Problem")
_REFUSALS = {
    400: json_answer("The request cannot be understood; `message` says why.", _PROBLEM),
    401: with_headers(json_answer("No key, or a wrong one.", _PROBLEM), {"www-authenticate": WWW_AUTHENTICATE}),
    403: json_answer("`not_allowed`: a command of the agent may not do that; or `foreign_origin`.", _PROBLEM),
    404: json_answer("There is no such thing, or it belongs to somebody else.", _PROBLEM),
    409: json_answer("Not now; `code` says why.", _PROBLEM),
    413: json_answer("The body is larger than 4 MiB.", _PROBLEM),
    503: with_headers(json_answer("It stops, or its database is away.", _PROBLEM), {"retry-after": RETRY_AFTER}),
}

SCHEMAS: dict[str, Json] = {"Problem": record({"error": record({"code": TEXT, "message": TEXT})})}


def refusals(*statuses: int) -> dict[int, Json]:
    """These, and that there is no key."""
    return {status: _REFUSALS[status] for status in {*statuses, 401}}
