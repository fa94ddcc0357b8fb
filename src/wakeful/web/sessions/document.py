"""The routes of sessions."""

from wakeful.web.feeds.rows import SessionRow
from wakeful.web.fields import DoorHeader, OfSession
from wakeful.web.messages.turn import ShownTurn
from wakeful.web.sessions.routes import (
    Branch,
    ChangedSession,
    MadeSession,
    NewSession,
    ResultQuery,
    SeenSession,
    SessionPage,
    SessionQuery,
    SessionsQuery,
    WholeResult,
)
from wakeful.web.sessions.session import ShownMessage, ShownSnapshot
from wakeful.wire.answer import Ok
from wakeful.wire.openapi import Family, json_answer, json_body, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

_MADE = json_answer("The new session.", MadeSession)
PATHS: dict[str, dict[str, Json]] = {
    "/api/session/new": {
        "post": operation(
            "createSession",
            "Begin a session",
            {200: _MADE, **refusals(400, 413, 503)},
            parameters=parameters(DoorHeader, "header"),
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
                    SessionPage,
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
            {200: json_answer("The session.", ShownSnapshot), **refusals(400, 404, 503)},
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
    {"SessionRow": SessionRow, "Snapshot": ShownSnapshot, "SessionMessage": ShownMessage, "SessionTurn": ShownTurn},
)
