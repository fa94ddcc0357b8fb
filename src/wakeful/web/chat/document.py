"""The routes of talking."""

from wakeful.web.chat.routes import Again, Cancelled, ChatReceipt, EditedMessage, QueuedTurn, StartedChat
from wakeful.web.fields import DoorHeader, OfSession
from wakeful.wire.answer import Ok
from wakeful.wire.openapi import Family, json_answer, json_body, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

PATHS: dict[str, dict[str, Json]] = {
    "/api/chat/start": {
        "post": operation(
            "startChat",
            "Say something",
            {200: json_answer("It is taken.", ChatReceipt), **refusals(400, 404, 409, 413, 503)},
            parameters=parameters(DoorHeader, "header"),
            body=json_body(StartedChat),
        ),
    },
    "/api/chat/edit": {
        "post": operation(
            "editMessage",
            "Other words in place of a message and of all that followed",
            {200: json_answer("They are taken.", ChatReceipt), **refusals(400, 404, 409, 413, 503)},
            parameters=parameters(DoorHeader, "header"),
            body=json_body(EditedMessage),
        ),
    },
    "/api/chat/regenerate": {
        "post": operation(
            "regenerateAnswer",
            "The last answer again",
            {200: json_answer("It is asked for.", ChatReceipt), **refusals(400, 404, 409, 413, 503)},
            parameters=parameters(DoorHeader, "header"),
            body=json_body(Again),
        ),
    },
    "/api/chat/cancel": {
        "post": operation(
            "cancelChat",
            "Stop the active turn",
            {200: json_answer("Whether there was one.", Cancelled), **refusals(400, 404, 413, 503)},
            body=json_body(OfSession),
        ),
    },
    "/api/chat/withdraw": {
        "post": operation(
            "withdrawMessage",
            "Take a queued message back",
            {200: json_answer("It is withdrawn.", Ok), **refusals(400, 404, 409, 413, 503)},
            body=json_body(QueuedTurn),
        ),
    },
}

FAMILY = Family("Chat", "Words to a session.", PATHS)
