"""How the routes under /v1 refuse: one shape for all, and which status means what."""

from wakeful.wire.openapi import NULL, TEXT, Json, any_of, choice, json_answer, record, ref, told, with_headers
from wakeful.wire.refusals import RETRY_AFTER, WWW_AUTHENTICATE

_SHOULD_RETRY: Json = {"description": "false, where asking again cannot help.", "schema": choice("false")}
_ERROR = ref("Error")

_REFUSALS = {
    400: json_answer("The request cannot be understood; `param` names what is wrong.", _ERROR),
    401: with_headers(json_answer("There is no key, or a wrong one.", _ERROR), {"www-authenticate": WWW_AUTHENTICATE}),
    403: json_answer("`not_allowed`: a command of the agent may not answer for a person.", _ERROR),
    404: json_answer("There is no such thing, or it belongs to another key.", _ERROR),
    409: with_headers(json_answer("Not now; `code` says why.", _ERROR), {"x-should-retry": _SHOULD_RETRY}),
    413: json_answer("The body is larger than 16 MiB.", _ERROR),
    429: with_headers(json_answer("Too many requests are under way.", _ERROR), {"retry-after": RETRY_AFTER}),
    503: with_headers(json_answer("The server stops, or its database is away.", _ERROR), {"retry-after": RETRY_AFTER}),
}
_ALWAYS = (401, 429, 503)

SCHEMAS: dict[str, Json] = {
    "Error": record(
        {
            "error": record(
                {
                    "message": TEXT,
                    "type": choice("invalid_request_error", "rate_limit_error", "server_error"),
                    "param": any_of(told("Such as `tools[0].name`.", TEXT), NULL),
                    "code": TEXT,
                },
                {
                    "latest_completed_response_id": any_of(TEXT, NULL),
                    "active_response_id": any_of(
                        told("With `conversation_response_not_completed`: what the conversation waits for.", TEXT), NULL
                    ),
                },
            )
        }
    ),
}


def refusals(*statuses: int) -> dict[int, Json]:
    """These, and those that any request may meet."""
    return {status: _REFUSALS[status] for status in {*statuses, *_ALWAYS}}
