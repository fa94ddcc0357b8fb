"""The routes that tell a client what it can do here."""

from wakeful.web.facts.me import Me
from wakeful.web.facts.models import ModelChoices
from wakeful.wire.openapi import Family, json_answer, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json

PATHS: dict[str, dict[str, Json]] = {
    "/api/me": {
        "get": operation(
            "getMe", "Who is asking, and whom", {200: json_answer("You and the server.", Me), **refusals(503)}
        ),
    },
    "/api/models": {
        "get": operation(
            "listModelChoices",
            "The models that a session can have",
            {200: json_answer("What is known of them now.", ModelChoices), **refusals(503)},
        ),
    },
}

FAMILY = Family("Facts", "Who is asking, and what there is to choose from.", PATHS)
