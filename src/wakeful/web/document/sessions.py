"""The routes of sessions."""

from wakeful.web.document import common
from wakeful.wire.openapi import (
    FLAG,
    NULL,
    OBJECT,
    TEXT,
    WHOLE,
    Family,
    Json,
    choice,
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
)
from wakeful.wire.refusals import refusals

_MADE = json_answer("The new session.", record({"session_id": TEXT}))
_ROW = {
    "session_id": TEXT,
    "title": TEXT,
    "model": TEXT,
    "updated_at": TEXT,
    "message_count": whole(0),
    "active_turn_id": or_null(TEXT),
    "running_tasks": whole(0),
    "pinned": FLAG,
    "archived": FLAG,
}
_TOOL = record(
    {
        "call_id": TEXT,
        "name": TEXT,
        "arguments": TEXT,
        "result": or_null(TEXT),
        "seconds": or_null({"type": "number"}),
        "status": choice("done", "interrupted", "running"),
    }
)
_MESSAGE = record(
    {
        "id": TEXT,
        "turn_id": TEXT,
        "role": choice("user", "assistant", "tool", "note", "error"),
        "source": TEXT,
        "content": TEXT,
        "html": NULL,
        "tool": or_null(_TOOL),
        "notice": or_null(OBJECT),
        "created_at": TEXT,
    }
)
_PARENT = record({"session_id": TEXT, "task_id": TEXT})
_QUEUED = record({"turn_id": TEXT, "message": TEXT, "source": TEXT, "created_at": TEXT})
_NOTICE = record(
    {
        "source": TEXT,
        "content": TEXT,
        "created_at": TEXT,
        "why": choice("held", "blocked", "budget", "busy"),
        "until": or_null(TEXT),
    }
)
_SNAPSHOT = record(
    {
        "session": record({**_ROW, "workspace": TEXT, "created_at": TEXT, "parent": or_null(_PARENT)}),
        "messages": list_of(ref("SessionMessage")),
        "active": or_null(record({"turn_id": TEXT, "stream_id": TEXT, "source": TEXT})),
        "queued": list_of(_QUEUED),
        "tasks": list_of(ref("Task")),
        "approvals": list_of(ref("Approval")),
        "pending_notices": list_of(_NOTICE),
        "last_event_id": whole(0),
    }
)
_NEW = record(
    {},
    {
        "title": or_null(common.TITLE),
        "model": told("`provider:model`.", or_null(common.MODEL)),
        "workspace": told("The absolute path of a folder that is there.", or_null(TEXT)),
    },
)
_CHANGE = record(
    {"session_id": common.ID},
    {"title": or_null(common.TITLE), "model": or_null(common.MODEL)},
    additionalProperties=False,
    anyOf=[
        {"required": ["title"], "properties": {"title": TEXT}},
        {"required": ["model"], "properties": {"model": TEXT}},
    ],
)
_BRANCH = record({"session_id": common.ID}, {"turn_id": told("A turn that has ended.", or_null(common.ID))})

PATHS: dict[str, dict[str, Json]] = {
    "/api/session/new": {
        "post": operation(
            "createSession",
            "Begin a session",
            {200: _MADE, **refusals(400, 413, 503)},
            parameters=[common.DOOR],
            body=json_body(_NEW, required=False),
        ),
    },
    "/api/sessions": {
        "get": operation(
            "listSessions",
            "Sessions, the one changed last first",
            {
                200: json_answer(
                    "A page of them.",
                    record({"sessions": list_of(ref("SessionRow")), "next_cursor": or_null(TEXT)}),
                ),
                **refusals(400, 503),
            },
            parameters=[
                query("q", text(maxLength=500, pattern="^[^\\u0000]*$"), "Words to look for in titles and messages."),
                query("limit", WHOLE, "1 to 200, 50 where nothing is said; what is out of range is moved to its end."),
                query("cursor", TEXT, "The `next_cursor` of the page before."),
            ],
        ),
    },
    "/api/session": {
        "get": operation(
            "getSession",
            "A session, at one moment",
            {200: json_answer("The session.", ref("Snapshot")), **refusals(400, 404, 503)},
            parameters=[
                query("session_id", common.ID, "Which.", required=True),
                query("limit", WHOLE, "1 to 1000 messages, 100 where nothing is said."),
                query("before", TEXT, "Only messages before the one with this id."),
            ],
        ),
        "patch": operation(
            "changeSession",
            "Change its title or its model",
            {200: json_answer("It is changed.", common.OK), **refusals(400, 404, 413, 503)},
            body=json_body(_CHANGE),
        ),
    },
    "/api/session/branch": {
        "post": operation(
            "branchSession",
            "Go on from an earlier turn in a new session",
            {200: _MADE, **refusals(400, 404, 409, 413, 503)},
            body=json_body(_BRANCH),
        ),
    },
}

FAMILY = Family(
    "Sessions",
    "The routes of the terminal chat and the web page.",
    PATHS,
    {"SessionRow": record(_ROW), "Snapshot": _SNAPSHOT, "SessionMessage": _MESSAGE},
)
