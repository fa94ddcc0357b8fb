"""Describes the routes of chats."""

from wakeful.web.chat.routes import (
    AnswerWanted,
    Cancelled,
    ChatReceipt,
    CompactedSession,
    CompactionReceipt,
    EditedMessage,
    QueuedTurn,
    SentMessage,
)
from wakeful.web.fields import DoorHeader, OfSession
from wakeful.wire.answer import Ok
from wakeful.wire.openapi import Family, json_answer, json_body, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

PATHS: dict[str, dict[str, Json]] = {
    "/api/chat/start": {
        "post": operation(
            "startChat",
            "Send a message",
            {200: json_answer("It is accepted.", ChatReceipt), **refusals(400, 404, 409, 413, 503)},
            parameters=parameters(DoorHeader, "header"),
            body=json_body(SentMessage),
        ),
    },
    "/api/chat/edit": {
        "post": operation(
            "editMessage",
            "Replace a message and all that followed it",
            {200: json_answer("It is accepted.", ChatReceipt), **refusals(400, 404, 409, 413, 503)},
            parameters=parameters(DoorHeader, "header"),
            body=json_body(EditedMessage),
        ),
    },
    "/api/chat/regenerate": {
        "post": operation(
            "regenerateAnswer",
            "Ask for the last answer again",
            {200: json_answer("It is accepted.", ChatReceipt), **refusals(400, 404, 409, 413, 503)},
            parameters=parameters(DoorHeader, "header"),
            body=json_body(AnswerWanted),
        ),
    },
    "/api/chat/cancel": {
        "post": operation(
            "cancelChat",
            "Stop the active turn",
            {200: json_answer("Whether a turn was active.", Cancelled), **refusals(400, 404, 413, 503)},
            body=json_body(OfSession),
        ),
    },
    "/api/chat/withdraw": {
        "post": operation(
            "withdrawMessage",
            "Withdraw a queued message",
            {200: json_answer("It is withdrawn.", Ok), **refusals(400, 404, 409, 413, 503)},
            body=json_body(QueuedTurn),
        ),
    },
    "/api/session/compact": {
        "post": operation(
            "compactSession",
            "Sum up the conversation so far, for the model to read instead of it",
            {200: json_answer("The turn that does it.", CompactionReceipt), **refusals(400, 404, 409, 413, 503)},
            words="All messages stay, and the summary stands among them with the source `summary`. 409 "
            "`nothing_to_compact` means that there are fewer than four messages since the last one.",
            parameters=parameters(DoorHeader, "header"),
            body=json_body(CompactedSession),
        ),
    },
}

FAMILY = Family("Chat", "Messages to a session.", PATHS)
