"""Describes the routes of streams."""

from wakeful.web.streams.query import SessionStreamQuery, SeveralStreamsQuery, StreamHeaders, TurnStreamQuery
from wakeful.wire.openapi import OBJECT, Family, operation, stream_answer
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

_EVENTS = stream_answer("The events; `event` is the kind, `id` the cursor.", OBJECT)
_HEADERS = parameters(StreamHeaders, "header")

PATHS: dict[str, dict[str, Json]] = {
    "/api/chat/stream": {
        "get": operation(
            "followTurn",
            "Follow one turn to its end",
            {200: _EVENTS, 204: {"description": "The reader has all events."}, **refusals(400, 404, 503)},
            parameters=[*parameters(TurnStreamQuery, "query"), *_HEADERS],
        ),
    },
    "/api/session/stream": {
        "get": operation(
            "followSession",
            "Follow one session across turns",
            {200: _EVENTS, **refusals(400, 404, 503)},
            words="It begins with `initial`, and does not end by itself.",
            parameters=[*parameters(SessionStreamQuery, "query"), *_HEADERS],
        ),
    },
    "/api/stream": {
        "get": operation(
            "followSessions",
            "Follow several sessions on one connection",
            {200: _EVENTS, **refusals(400, 404, 503)},
            parameters=[*parameters(SeveralStreamsQuery, "query"), *_HEADERS],
        ),
    },
}

FAMILY = Family("Streams", "Each reader is a cursor: no event is missed or sent twice.", PATHS)
