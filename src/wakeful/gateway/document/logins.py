"""The routes by which browsers come and go."""

from wakeful.wire.error_types import Problem
from wakeful.wire.openapi import (
    FLAG,
    TEXT,
    Family,
    Json,
    json_answer,
    json_body,
    list_of,
    operation,
    or_null,
    query,
    record,
    ref,
    text,
    told,
    whole,
    with_headers,
)
from wakeful.wire.refusals import RETRY_AFTER, refusals

_WORD = or_null(text(minLength=1))
_CREDENTIAL = record(
    {},
    {
        "token": told("What stands behind `#token=` in a link; good for one login, within an hour.", _WORD),
        "password": told("The operator's, where one is set.", _WORD),
    },
    oneOf=[
        {"required": ["token"], "properties": {"token": TEXT}},
        {"required": ["password"], "properties": {"password": TEXT}},
    ],
)
_LINK = record(
    {}, {"as": told("Whose login it is: your own where nothing is said. The operator may name anybody.", _WORD)}
)
_COOKIE: Json = {"description": "`wakeful_session_PORT`, for the browser.", "required": True, "schema": TEXT}
_OK = with_headers(
    json_answer("The browser has its cookie, or has lost it.", record({"ok": FLAG})), {"set-cookie": _COOKIE}
)
_TOO_LARGE = json_answer("The body is larger than 16 KiB.", Problem)
_MANY = with_headers(json_answer("`too_many_tries`.", Problem), {"retry-after": RETRY_AFTER})
_REFUSED = json_answer("`invalid_token`, `token_used` or `invalid_password`.", Problem)
_LOGIN = record(
    {
        "id": TEXT,
        "name": told("Whose it is.", TEXT),
        "is_this": told("Whether the request was made with it.", FLAG),
        "browser": told("As in `Firefox on Linux`; empty where it did not say.", TEXT),
        "address": told("Where it was made from, or the address of a proxy; empty where that is not known.", TEXT),
        "created_at": TEXT,
        "used_at": told("Some minutes late at most.", TEXT),
        "expires_at": told("30 days after its last use.", TEXT),
    }
)
_ENDED = record({"ok": FLAG, "ended": told("How many.", whole(0))})
_NOT_YOURS = json_answer(
    "`forbidden`: only the operator can name others; `not_allowed`: not for a command of the agent; `foreign_origin`.",
    Problem,
)

PATHS: dict[str, dict[str, Json]] = {
    "/api/login": {
        "post": operation(
            "logIn",
            "Get a cookie for a token or the password",
            {200: _OK, **refusals(400, 503), 401: _REFUSED, 413: _TOO_LARGE, 429: _MANY},
            body=json_body(_CREDENTIAL),
            is_open=True,
        ),
    },
    "/api/login/link": {
        "post": operation(
            "makeLoginLink",
            "A link that logs a browser in",
            {
                200: json_answer("It is good for one login, within an hour.", record({"url": TEXT})),
                **refusals(400, 409, 503),
                403: _NOT_YOURS,
                413: _TOO_LARGE,
            },
            body=json_body(_LINK, required=False),
        ),
    },
    "/api/logins": {
        "get": operation(
            "listLogins",
            "The browsers that are logged in",
            {
                200: json_answer("Your own; the operator's list has all.", record({"logins": list_of(ref("Login"))})),
                **refusals(503),
            },
        ),
        "delete": operation(
            "endLogins",
            "End a login, or all but the one that asks; streams that were opened with it end at once",
            {200: json_answer("They are over.", _ENDED), **refusals(400, 404, 503)},
            parameters=[
                query("id", TEXT, "Of one login."),
                query("others", TEXT, "`true`: all that you may see, but the one that asks."),
            ],
        ),
    },
    "/api/logout": {
        "post": operation(
            "logOut",
            "End the login of a cookie, wherever it is",
            {200: _OK, 503: refusals(503)[503]},
            is_open=True,
        ),
    },
}

FAMILY = Family("Logins", "Cookies for browsers. Programs have keys.", PATHS, {"Login": _LOGIN})
