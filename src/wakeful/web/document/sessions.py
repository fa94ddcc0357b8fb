"""The routes of sessions."""

from wakeful.web.document import common
from wakeful.web.document.messages import MESSAGE, NOTICE, TURN, USAGE
from wakeful.web.fields import OfSession
from wakeful.web.sessions import (
    Branch,
    ChangedSession,
    MadeSession,
    NewSession,
    ResultQuery,
    SeenSession,
    SessionQuery,
    SessionsQuery,
    WholeResult,
)
from wakeful.wire.answer import Ok
from wakeful.wire.openapi import (
    FLAG,
    TEXT,
    Family,
    Json,
    choice,
    json_answer,
    json_body,
    list_of,
    operation,
    or_null,
    record,
    ref,
    told,
    whole,
)
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import parameters

_MADE = json_answer("The new session.", MadeSession)
ROW = {
    "session_id": TEXT,
    "title": TEXT,
    "model": TEXT,
    "updated_at": TEXT,
    "message_count": whole(0),
    "active_turn_id": or_null(TEXT),
    "running_tasks": whole(0),
    "pinned": FLAG,
    "archived": FLAG,
    "unread": told("A turn has ended since the asker looked.", FLAG),
    "needs_you": told("Open questions.", whole(0)),
    "last_status": told("How the last turn ended.", or_null(choice("done", "failed", "cancelled"))),
    "woken": told("Background work had opened it.", FLAG),
}
_FOUND = {
    "message_id": told("Of a search: the newest message that was found; null where only the title was.", or_null(TEXT)),
    "snippet": told(
        "Of a search: the piece of that message around the first of the words, as plain text. `hit` may be empty.",
        or_null(record({"before": TEXT, "hit": TEXT, "after": TEXT})),
    ),
}
_PARENT = record({"session_id": TEXT, "task_id": TEXT})
_QUEUED = record({"turn_id": TEXT, "message": TEXT, "source": TEXT, "created_at": TEXT})
_PARTIAL = record({"step": whole(0), "text": TEXT, "reasoning": TEXT})
_ACTIVE = record(
    {
        "turn_id": TEXT,
        "stream_id": TEXT,
        "source": TEXT,
        "partial": told("What its open step has said up to `cursor`.", or_null(_PARTIAL)),
    }
)
_NOTICE = record(
    {
        "source": TEXT,
        "content": TEXT,
        "created_at": TEXT,
        "why": choice("held", "blocked", "budget", "busy"),
        "until": or_null(TEXT),
    },
    NOTICE,
)
_SESSION = record({**ROW, "workspace": TEXT, "created_at": TEXT, "parent": or_null(_PARENT), "usage": USAGE})
_TURNS: Json = {"type": "object", "additionalProperties": ref("SessionTurn")}
_SNAPSHOT = record(
    {
        "session": _SESSION,
        "messages": list_of(ref("SessionMessage")),
        "has_more": told("There are older messages.", FLAG),
        "turns": told("By id: those of the messages, and the active one.", _TURNS),
        "active": or_null(_ACTIVE),
        "queued": list_of(_QUEUED),
        "tasks": list_of(ref("Task")),
        "approvals": list_of(ref("Approval")),
        "pending_notices": list_of(_NOTICE),
        "last_event_id": told("The newest fact; as `session/seen` takes it.", whole(0)),
        "cursor": told("Where a stream goes on: `after` it comes all that is not in here.", TEXT),
    }
)
PATHS: dict[str, dict[str, Json]] = {
    "/api/session/new": {
        "post": operation(
            "createSession",
            "Begin a session",
            {200: _MADE, **refusals(400, 413, 503)},
            parameters=[common.DOOR],
            body=json_body(NewSession, required=False),
        ),
    },
    "/api/sessions": {
        "get": operation(
            "listSessions",
            "Sessions, the one changed last first; on the first page after those that are pinned",
            {
                200: json_answer(
                    "A page of them.",
                    record({"sessions": list_of(record(ROW, _FOUND)), "next_cursor": or_null(TEXT)}),
                ),
                **refusals(400, 503),
            },
            parameters=parameters(SessionsQuery, "query"),
        ),
    },
    "/api/session": {
        "get": operation(
            "getSession",
            "A session, at one moment",
            {200: json_answer("The session.", ref("Snapshot")), **refusals(400, 404, 503)},
            parameters=parameters(SessionQuery, "query"),
        ),
        "patch": operation(
            "changeSession",
            "Change its title, its model or its place",
            {200: json_answer("It is changed.", Ok), **refusals(400, 404, 413, 503)},
            body=json_body(ChangedSession),
        ),
        "delete": operation(
            "deleteSession",
            "Hide it at once, and remove it for good after a while",
            {200: json_answer("It is hidden.", Ok), **refusals(400, 404, 503)},
            words="Until `undo_seconds` of `/api/me` have passed it can be restored, and what runs in it goes on.",
            parameters=parameters(OfSession, "query"),
        ),
    },
    "/api/session/restore": {
        "post": operation(
            "restoreSession",
            "Bring a deleted session back",
            {200: json_answer("It is back.", Ok), **refusals(400, 404, 413, 503)},
            body=json_body(OfSession),
        ),
    },
    "/api/session/result": {
        "get": operation(
            "getResult",
            "The whole of a tool's result that a message shows cut",
            {200: json_answer("The result.", WholeResult), **refusals(400, 404, 503)},
            parameters=parameters(ResultQuery, "query"),
        ),
    },
    "/api/session/seen": {
        "post": operation(
            "seeSession",
            "The asker has seen it up to this event",
            {200: json_answer("It is noted.", Ok), **refusals(400, 404, 413, 503)},
            body=json_body(SeenSession),
        ),
    },
    "/api/session/branch": {
        "post": operation(
            "branchSession",
            "Go on from an earlier turn in a new session",
            {200: _MADE, **refusals(400, 404, 409, 413, 503)},
            body=json_body(Branch),
        ),
    },
}

FAMILY = Family(
    "Sessions",
    "The routes of the terminal chat and the web page.",
    PATHS,
    {"SessionRow": record(ROW), "Snapshot": _SNAPSHOT, "SessionMessage": MESSAGE, "SessionTurn": TURN},
)
