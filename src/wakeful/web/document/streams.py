"""The routes of streams."""

from wakeful.web.document import common
from wakeful.wire.openapi import OBJECT, TEXT, Family, Json, choice, header, operation, query, stream_answer
from wakeful.wire.refusals import refusals

_EVENTS = stream_answer("Its events; `event` is the kind, `id` the cursor.", OBJECT)
_TURNS = query("turns", choice("", "inline"), "`inline`: with what the turns themselves tell.")
_HTML = query(
    "html", common.SWITCH, "With `turns=inline`: `answer_html` too, the answers as HTML while they are written."
)
_ROWS = query("rows", common.SWITCH, "`session_row` and `session_gone` too, for all sessions that the asker may see.")
_NEWS = query(
    "news",
    common.SWITCH,
    "`news` too: what ended, matched, asks or failed in any session of the asker. It begins with `news_initial` "
    "{last_news_id}; the position is part of the `id`, as `news:57`.",
)
_CURSOR = (
    query(
        "after",
        TEXT,
        "Only what comes after the frame with this `id`, or after this `cursor` of a session, as it came; what is not "
        "understood is the start.",
    ),
    header("Last-Event-ID", TEXT, "The same; it wins over `after`."),
)

PATHS: dict[str, dict[str, Json]] = {
    "/api/chat/stream": {
        "get": operation(
            "followTurn",
            "One turn, to its end",
            {200: _EVENTS, 204: {"description": "The reader has it all."}, **refusals(400, 404, 503)},
            parameters=[query("stream_id", common.ID, "As `chat/start` told it.", required=True), *_CURSOR],
        ),
    },
    "/api/session/stream": {
        "get": operation(
            "followSession",
            "One session, across turns",
            {200: _EVENTS, **refusals(400, 404, 503)},
            words="It begins with `initial`, and does not end by itself.",
            parameters=[query("session_id", common.ID, "Which.", required=True), _TURNS, _HTML, *_CURSOR],
        ),
    },
    "/api/stream": {
        "get": operation(
            "followSessions",
            "Several sessions on one connection",
            {200: _EVENTS, **refusals(400, 404, 503)},
            parameters=[
                query(
                    "sessions", TEXT, "1 to 100 ids, with commas between them; with `rows` or `news` there may be none."
                ),
                _TURNS,
                _HTML,
                _ROWS,
                _NEWS,
                *_CURSOR,
            ],
        ),
    },
}

FAMILY = Family("Streams", "Each reader is a cursor: nothing is missed or doubled.", PATHS)
