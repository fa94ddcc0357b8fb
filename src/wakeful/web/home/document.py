"""The route of the page's home."""

from wakeful.web.feeds.news import ShownNews
from wakeful.web.home.home import Home
from wakeful.wire.openapi import Family, json_answer, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json

PATHS: dict[str, dict[str, Json]] = {
    "/api/home": {
        "get": operation(
            "getHome",
            "What runs, what has reported, what is new",
            {200: json_answer("Of all sessions that are the asker's own.", Home), **refusals(503)},
            words="`reported` holds what lies beyond what the asker has seen of its session, 50 at most.",
        ),
    },
}

FAMILY = Family("Home", "All sessions at a glance.", PATHS, {"News": ShownNews})
