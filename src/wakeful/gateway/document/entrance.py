"""The parts of the document that hold for many routes: how clients authenticate, and how the entrance refuses them."""

from typing import Any

from wakeful.wire.error_types import ApiProblem, Problem
from wakeful.wire.openapi import json_answer
from wakeful.wire.schema import Json

SCHEMES: Json = {
    "key": {"type": "http", "scheme": "bearer"},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "wakeful_session_8787",
        "description": "Of a browser's login. The number is the port; under https the name begins with `__Host-`.",
    },
}
KEY: list[Json] = [{"key": []}]

_KEY_OR_COOKIE: list[Json] = [*KEY, {"cookie": []}]
_API = "/v1/"
_FOR_COOKIES = "/api/"
# The only path that is answered whatever the Host header says.
_ANY_HOST = "/health"


def with_entrance(method: str, path: str, operation: Json) -> dict[str, Any]:
    """Return the operation with the responses and the security that the entrance adds to it."""
    answers = {**_entrance_answers(method, path), **operation["responses"]}
    made = {**operation, "responses": dict(sorted(answers.items()))}
    if path.startswith(_FOR_COOKIES):
        made.setdefault("security", _KEY_OR_COOKIE)
    return made


def _entrance_answers(method: str, path: str) -> dict[str, Json]:
    problem = ApiProblem if path.startswith(_API) else Problem
    answers = {}
    if path != _ANY_HOST:
        answers["421"] = json_answer("`foreign_host`: the Host header is not a name of this server.", problem)
    if path.startswith(_FOR_COOKIES) and method != "get":
        answers["403"] = json_answer("`foreign_origin`: cookies are only accepted from the server's own page.", problem)
    return answers
