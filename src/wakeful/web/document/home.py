"""The route of the page's home."""

from wakeful.model.task import TaskStatus
from wakeful.web.document.sessions import ROW
from wakeful.wire.openapi import (
    FLAG,
    TEXT,
    WHOLE,
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
    whole,
)
from wakeful.wire.refusals import refusals

_KINDS = choice(
    "process_complete", "delegation_complete", "watch_match", "approval_required", "approval_expired", "turn_failed"
)
_NEWS = {
    "news_id": whole(1),
    "event_id": told("Its number in the session.", whole(1)),
    "session_id": TEXT,
    "title": TEXT,
    "kind": _KINDS,
    "task_id": or_null(TEXT),
    "command": told("Or the goal of a sub-agent.", TEXT),
    "status": or_null(choice(*(status.value for status in TaskStatus))),
    "exit_code": or_null(WHOLE),
    "outcome": told("In words that follow the command; of a turn, why it failed.", TEXT),
    "line": told("The line that matched, or the last one of the output.", TEXT),
    "pattern": or_null(TEXT),
    "wakes": told("The agent asked to be woken by it.", FLAG),
    "call_id": told("Of a question.", or_null(TEXT)),
    "turn_id": told("Of a turn that failed.", or_null(TEXT)),
    "code": told("Why it failed.", or_null(TEXT)),
    "at": TEXT,
}
_CALL = record({"name": TEXT, "arguments": TEXT})
_TURN = record(
    {
        "turn_id": TEXT,
        "number": whole(1),
        "source": TEXT,
        "step": told("The one under way.", whole(1)),
        "call": told("Null: the model is answering.", or_null(_CALL)),
    }
)
_WORK = record(
    {
        "type": choice("task", "turn"),
        "session_id": TEXT,
        "title": TEXT,
        "started_at": TEXT,
        "task": or_null(ref("Task")),
        "turn": or_null(_TURN),
    }
)
_READER = record(
    {
        "turn_id": TEXT,
        "number": whole(1),
        "delivered": told(
            "Whether it opened that turn, came with a message or joined while it ran; null: a newer version of the "
            "message has taken it along.",
            or_null(choice("opened", "with_message", "joined")),
        ),
    }
)
_REPORT = record(
    {
        **_NEWS,
        "last_event_id": told("The newest of its session: marks all of it as seen.", whole(1)),
        "woke": told("The turn that has read it.", or_null(_READER)),
        "answer": told("The first words of that turn's last answer.", TEXT),
    }
)
_RECENT = record({**ROW, "workspace": TEXT, "answer": TEXT})
_HOME = record({"running": list_of(_WORK), "reported": list_of(_REPORT), "recent": list_of(_RECENT)})

PATHS: dict[str, dict[str, Json]] = {
    "/api/home": {
        "get": operation(
            "getHome",
            "What runs, what has reported, what is new",
            {200: json_answer("Of all sessions that are the asker's own.", _HOME), **refusals(503)},
            words="`reported` holds what lies beyond what the asker has seen of its session, 50 at most.",
        ),
    },
}

FAMILY = Family("Home", "All sessions at a glance.", PATHS, {"News": record(_NEWS)})
