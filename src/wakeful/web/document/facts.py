"""The routes that tell a client what it can do here."""

from wakeful.wire.openapi import FLAG, TEXT, Family, Json, json_answer, list_of, operation, record
from wakeful.wire.refusals import refusals

_ME = record(
    {
        "name": TEXT,
        "is_operator": FLAG,
        "host": TEXT,
        "version": TEXT,
        "model": TEXT,
        "has_password": FLAG,
        "undo_seconds": {"type": "number", "minimum": 0},
    }
)
_MODELS = record({"models": list_of(record({"id": TEXT, "provider": TEXT, "name": TEXT})), "default": TEXT})

PATHS: dict[str, dict[str, Json]] = {
    "/api/me": {
        "get": operation(
            "getMe", "Who is asking, and whom", {200: json_answer("You and the server.", _ME), **refusals(503)}
        ),
    },
    "/api/models": {
        "get": operation(
            "listModelChoices",
            "The models that a session can have",
            {200: json_answer("What is known of them now.", _MODELS), **refusals(503)},
        ),
    },
}

FAMILY = Family("Facts", "Who is asking, and what there is to choose from.", PATHS)
