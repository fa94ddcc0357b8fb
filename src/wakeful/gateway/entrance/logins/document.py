"""Describes the routes that log browsers in and out."""

from wakeful.gateway.entrance.logins.list_routes import EndedLogins, LoginList, LoginsEnded, ShownLogin
from wakeful.gateway.entrance.logins.routes import Credential, LinkFor, LoginLink
from wakeful.wire.answer import Ok
from wakeful.wire.error_types import Problem
from wakeful.wire.openapi import TEXT, Family, json_answer, json_body, operation, with_headers
from wakeful.wire.refusals import RETRY_AFTER, refusals
from wakeful.wire.schema import Json, parameters

_COOKIE: Json = {"description": "`wakeful_session_PORT`, for the browser.", "required": True, "schema": TEXT}
_OK = with_headers(json_answer("The response sets the cookie, or removes it.", Ok), {"set-cookie": _COOKIE})
_TOO_LARGE = json_answer("The body is larger than 16 KiB.", Problem)
_MANY = with_headers(json_answer("`too_many_tries`.", Problem), {"retry-after": RETRY_AFTER})
_REFUSED = json_answer("`invalid_token`, `token_used` or `invalid_password`.", Problem)
_NOT_YOURS = json_answer(
    "`forbidden`: only the operator can name others; `not_allowed`: a command of the agent may not do that; or "
    "`foreign_origin`.",
    Problem,
)

PATHS: dict[str, dict[str, Json]] = {
    "/api/login": {
        "post": operation(
            "logIn",
            "Get a cookie for a token or the password",
            {200: _OK, **refusals(400, 503), 401: _REFUSED, 413: _TOO_LARGE, 429: _MANY},
            body=json_body(Credential),
            is_open=True,
        ),
    },
    "/api/login/link": {
        "post": operation(
            "makeLoginLink",
            "A link that logs a browser in",
            {
                200: json_answer("It is good for one login, within an hour.", LoginLink),
                **refusals(400, 409, 503),
                403: _NOT_YOURS,
                413: _TOO_LARGE,
            },
            body=json_body(LinkFor, required=False),
        ),
    },
    "/api/logins": {
        "get": operation(
            "listLogins",
            "The browsers that are logged in",
            {
                200: json_answer("Your own; the operator's list has all.", LoginList),
                **refusals(503),
            },
        ),
        "delete": operation(
            "endLogins",
            "End a login, or all but the one that asks; streams that were opened with it end at once",
            {200: json_answer("They are over.", LoginsEnded), **refusals(400, 404, 503)},
            parameters=parameters(EndedLogins, "query"),
        ),
    },
    "/api/logout": {
        "post": operation(
            "logOut",
            "End the login of a cookie",
            {200: _OK, 503: refusals(503)[503]},
            is_open=True,
        ),
    },
}

FAMILY = Family("Logins", "Cookies for browsers. Programs have keys.", PATHS, {"Login": ShownLogin})
