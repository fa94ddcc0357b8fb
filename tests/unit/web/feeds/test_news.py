"""News as clients get it: each kind has its words, and those of a task outlive the task."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.engine.kit import task_for
from wakeful.model import event as events
from wakeful.model.event import Event, News
from wakeful.model.packed_json import pack
from wakeful.store.base import Transaction
from wakeful.web.feeds.news import ShownNews, news_fields

TASK = replace(task_for("ses_1", "turn_1", "task_1", will_notify=False), command="make")
END = {"process_id": "task_1", "kind": "process", "status": "failed", "exit_code": 2, "summary": "Error 2"}
QUESTION = {"call_id": "call_1", "task_id": None, "command": "rm -r x"}


async def shown(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    async def get(task_id: str) -> Any:
        return TASK if task_id == TASK.id else None

    tx = cast(Transaction, SimpleNamespace(tasks=SimpleNamespace(get=get)))
    event = Event("ses_1", 7, "turn_1", 3, kind, pack(data), 5.0, None)
    fields = await news_fields(tx, News(3, event, "A title", 9))
    assert ShownNews(**fields).session_id == "ses_1"
    common = {"news_id": 3, "event_id": 7, "session_id": "ses_1", "title": "A title", "at": "1970-01-01T00:00:05.000Z"}
    assert fields | common == fields
    return {name: value for name, value in fields.items() if name not in common}


@pytest.mark.parametrize(
    ("kind", "data", "told"),
    [
        (
            events.PROCESS_COMPLETE,
            END,
            {
                "kind": "process_complete",
                "status": "failed",
                "exit_code": 2,
                "outcome": "failed with exit code 2",
                "line": "Error 2",
                "task_id": "task_1",
                "command": "make",
                "wakes": False,
            },
        ),
        (
            events.WATCH_MATCH,
            {"process_id": "task_1", "pattern": "ready", "line": "it is ready"},
            {
                "kind": "watch_match",
                "outcome": 'printed "ready"',
                "line": "it is ready",
                "pattern": "ready",
                "task_id": "task_1",
                "command": "make",
                "wakes": True,
            },
        ),
        (events.APPROVAL_REQUIRED, QUESTION, {"kind": "approval_required", **QUESTION}),
        (
            events.APPROVAL_ANSWERED,
            QUESTION,
            {"kind": "approval_expired", "outcome": "was denied, nobody answered", **QUESTION},
        ),
        (
            events.FAILED,
            {"turn_id": "turn_1", "code": "model_auth", "message": "The key is wrong."},
            {"kind": "turn_failed", "turn_id": "turn_1", "code": "model_auth", "outcome": "The key is wrong."},
        ),
        (
            events.FAILED,
            {"turn_id": "turn_1"},
            {"kind": "turn_failed", "turn_id": "turn_1", "code": None, "outcome": ""},
        ),
    ],
)
async def test_each_kind_of_news_says_what_happened(kind: str, data: dict[str, Any], told: dict[str, Any]) -> None:
    assert await shown(kind, data) == told


async def test_news_of_a_task_that_is_gone_says_how_it_ended() -> None:
    told = await shown(events.PROCESS_COMPLETE, END | {"process_id": "task_gone", "kind": "delegation"})

    assert (told["kind"], told["status"], told.get("command"), told.get("task_id")) == (
        "delegation_complete",
        "failed",
        None,
        None,
    )
