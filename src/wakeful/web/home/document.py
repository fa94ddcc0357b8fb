"""Describes the route of the home page."""

from wakeful.web.feeds.news import ShownNews
from wakeful.web.home.home import Home
from wakeful.wire.openapi import Family, json_answer, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json

PATHS: dict[str, dict[str, Json]] = {
    "/api/home": {
        "get": operation(
            "getHome",
            "Get what runs, what has reported and what is recent",
            {200: json_answer("Across the caller's own sessions.", Home), **refusals(503)},
            words="`reported` holds at most 50 items of news that the caller has not yet seen.",
        ),
    },
}

FAMILY = Family("Home", "All sessions at a glance.", PATHS, {"News": ShownNews})
