"""Describes the route of a session's timeline."""

from wakeful.web.timeline.routes import Timeline, TimelineQuery
from wakeful.wire.openapi import Family, json_answer, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

PATHS: dict[str, dict[str, Json]] = {
    "/api/session/timeline": {
        "get": operation(
            "getTimeline",
            "Get which turns started which tasks, and which tasks woke which turns",
            {200: json_answer("The newest turns and tasks, oldest first.", Timeline), **refusals(400, 404, 503)},
            parameters=parameters(TimelineQuery, "query"),
        ),
    },
}

FAMILY = Family("Timeline", "A session on one axis.", PATHS)
