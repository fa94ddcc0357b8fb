"""The route of a session's timeline."""

from wakeful.web.document.messages import NOTICE_KIND, OUTLINE
from wakeful.web.timeline import TimelineQuery
from wakeful.wire.openapi import (
    TEXT,
    Family,
    Json,
    choice,
    json_answer,
    list_of,
    operation,
    or_null,
    record,
    ref,
    told,
)
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import parameters

_DELIVERED = choice("opened", "with_message", "joined")
_NOTICE = record(
    {
        "task_id": TEXT,
        "kind": NOTICE_KIND,
        "posted_at": told("When the work ended, or printed what it was watched for.", TEXT),
        "turn_id": told("The turn that has read it; null while it waits.", or_null(TEXT)),
        "delivered": or_null(_DELIVERED),
        "at": told("When the turn has read it.", or_null(TEXT)),
    }
)
_TIMELINE = record(
    {
        "turns": list_of(record({"turn_id": TEXT, **OUTLINE})),
        "tasks": list_of(ref("Task")),
        "notices": list_of(_NOTICE),
        "now": TEXT,
    }
)

PATHS: dict[str, dict[str, Json]] = {
    "/api/session/timeline": {
        "get": operation(
            "getTimeline",
            "Who started what, and who woke whom",
            {200: json_answer("The newest, in order.", _TIMELINE), **refusals(400, 404, 503)},
            parameters=parameters(TimelineQuery, "query"),
        ),
    },
}

FAMILY = Family("Timeline", "A session on one axis.", PATHS)
