"""The routes of talking."""

from wakeful.model.inbox import IfBusy
from wakeful.web.document import common
from wakeful.wire.openapi import (
    FLAG,
    TEXT,
    Family,
    Json,
    choice,
    json_answer,
    json_body,
    operation,
    or_null,
    record,
    text,
    told,
)
from wakeful.wire.refusals import refusals

_START = record(
    {"session_id": common.ID, "message": text(pattern="\\S")},
    {
        "client_message_id": told("Sent twice, it is one message.", or_null(common.ID)),
        "model": or_null(common.MODEL),
        "if_busy": told("`queue` where nothing is said.", or_null(choice(*(known.value for known in IfBusy)))),
    },
)
_AGAIN = {name: _START["properties"][name] for name in ("client_message_id", "model")}
_EDIT = record({"session_id": common.ID, "message_id": common.ID, "message": text(pattern="\\S")}, _AGAIN)
_REGENERATE = record({"session_id": common.ID}, _AGAIN)
_STARTED = record({"session_id": TEXT, "turn_id": TEXT, "stream_id": TEXT, "queued": FLAG})
_SESSION = record({"session_id": common.ID})
_QUEUED = record({"session_id": common.ID, "turn_id": common.ID})

PATHS: dict[str, dict[str, Json]] = {
    "/api/chat/start": {
        "post": operation(
            "startChat",
            "Say something",
            {200: json_answer("It is taken.", _STARTED), **refusals(400, 404, 409, 413, 503)},
            parameters=[common.DOOR],
            body=json_body(_START),
        ),
    },
    "/api/chat/edit": {
        "post": operation(
            "editMessage",
            "Other words in place of a message and of all that followed",
            {200: json_answer("They are taken.", _STARTED), **refusals(400, 404, 409, 413, 503)},
            parameters=[common.DOOR],
            body=json_body(_EDIT),
        ),
    },
    "/api/chat/regenerate": {
        "post": operation(
            "regenerateAnswer",
            "The last answer again",
            {200: json_answer("It is asked for.", _STARTED), **refusals(400, 404, 409, 413, 503)},
            parameters=[common.DOOR],
            body=json_body(_REGENERATE),
        ),
    },
    "/api/chat/cancel": {
        "post": operation(
            "cancelChat",
            "Stop the active turn",
            {200: json_answer("Whether there was one.", record({"cancelled": FLAG})), **refusals(400, 404, 413, 503)},
            body=json_body(_SESSION),
        ),
    },
    "/api/chat/withdraw": {
        "post": operation(
            "withdrawMessage",
            "Take a queued message back",
            {200: json_answer("It is withdrawn.", common.OK), **refusals(400, 404, 409, 413, 503)},
            body=json_body(_QUEUED),
        ),
    },
}

FAMILY = Family("Chat", "Words to a session.", PATHS)
