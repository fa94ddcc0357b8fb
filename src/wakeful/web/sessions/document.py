"""Describes the routes of sessions."""

from wakeful.web.feeds.rows import SessionRow
from wakeful.web.fields import DoorHeader, OfSession
from wakeful.web.messages.turn import ShownTurn
from wakeful.web.sessions.requests import (
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
from wakeful.web.sessions.undo import Undo, UndoneFiles
from wakeful.wire.answer import Ok
from wakeful.wire.openapi import Family, json_answer, json_body, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

_MADE = json_answer("The new session.", MadeSession)
PATHS: dict[str, dict[str, Json]] = {
    "/api/session/new": {
        "post": operation(
            "createSession",
            "Create a session",
            {200: _MADE, **refusals(400, 403, 413, 503)},
            parameters=parameters(DoorHeader, "header"),
            body=json_body(NewSession, required=False),
        ),
    },
    "/api/sessions": {
        "get": operation(
            "listSessions",
            "List sessions, the last changed first; the first page begins with the pinned ones",
            {200: json_answer("A page of sessions.", SessionPage), **refusals(400, 503)},
            parameters=parameters(SessionsQuery, "query"),
        ),
    },
    "/api/session": {
        "get": operation(
            "getSession",
            "Get a consistent snapshot of a session",
            {200: json_answer("The session.", ShownSnapshot), **refusals(400, 404, 503)},
            parameters=parameters(SessionQuery, "query"),
        ),
        "patch": operation(
            "changeSession",
            "Change a session's title, model or mode, pin it or archive it",
            {200: json_answer("The session is changed.", Ok), **refusals(400, 403, 404, 413, 503)},
            body=json_body(ChangedSession),
        ),
        "delete": operation(
            "deleteSession",
            "Hide a session at once, and remove it for good after a while",
            {200: json_answer("The session is hidden.", Ok), **refusals(400, 404, 503)},
            words="It can be restored within the `undo_seconds` of `/api/me`, and what runs in it goes on until then.",
            parameters=parameters(OfSession, "query"),
        ),
    },
    "/api/session/restore": {
        "post": operation(
            "restoreSession",
            "Restore a deleted session",
            {200: json_answer("The session is restored.", Ok), **refusals(400, 404, 413, 503)},
            body=json_body(OfSession),
        ),
    },
    "/api/session/result": {
        "get": operation(
            "getResult",
            "Get the whole result of a tool, where a message has only part of it",
            {200: json_answer("The result.", WholeResult), **refusals(400, 404, 503)},
            parameters=parameters(ResultQuery, "query"),
        ),
    },
    "/api/session/seen": {
        "post": operation(
            "seeSession",
            "Mark a session as seen by the caller, up to this event",
            {200: json_answer("It is marked.", Ok), **refusals(400, 404, 413, 503)},
            body=json_body(SeenSession),
        ),
    },
    "/api/session/undo": {
        "post": operation(
            "undoChanges",
            "Take back what write_file and edit_file have changed",
            {
                200: json_answer("What was taken back, and what was not.", UndoneFiles),
                **refusals(400, 404, 409, 413, 503),
            },
            words="A file that has changed since is skipped, and not tried again without `force`. What commands have "
            "changed is not covered. This wakes no agent: it learns of it with the next message.",
            body=json_body(Undo),
        ),
    },
    "/api/session/branch": {
        "post": operation(
            "branchSession",
            "Continue from an earlier turn in a new session",
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
