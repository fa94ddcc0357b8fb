"""What the document says of many routes at once: before all of them the door asks who it is, and from where."""

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
        "description": "Of a browser's login. The number is the port; under https `__Host-` stands before the name.",
    },
}
KEY: list[Json] = [{"key": []}]

_KEY_OR_COOKIE: list[Json] = [*KEY, {"cookie": []}]
_API = "/v1/"
_FOR_COOKIES = "/api/"
# Whoever asks for it may call the server what they like.
_ANY_HOST = "/health"


def behind_the_door(method: str, path: str, told: Json) -> dict[str, Any]:
    """What a route tells of itself, and what the door adds to it."""
    answers = {**_door_answers(method, path), **told["responses"]}
    made = {**told, "responses": dict(sorted(answers.items()))}
    if path.startswith(_FOR_COOKIES):
        made.setdefault("security", _KEY_OR_COOKIE)
    return made


def _door_answers(method: str, path: str) -> dict[str, Json]:
    problem = ApiProblem if path.startswith(_API) else Problem
    answers = {}
    if path != _ANY_HOST:
        answers["421"] = json_answer("`foreign_host`: the server was not told that this is a name of its own.", problem)
    if path.startswith(_FOR_COOKIES) and method != "get":
        answers["403"] = json_answer("`foreign_origin`: a cookie is good for the server's own page only.", problem)
    return answers
