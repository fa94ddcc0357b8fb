"""What a session learns of its tasks: the events in its log and the notices in its inbox."""

from typing import Any

import orjson
import pytest

from tests.store.nouns import a_task
from wakeful.engine.tasks.task_notices import complete_event, end_row, match_event, match_row
from wakeful.model.event import NewEvent
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.tasks.task import TaskOutcome, TaskStatus, WatchMatch

ENDED = a_task(status=TaskStatus.FAILED, exit_code=2, result="one\ntwo\n", started_at=100.0, ended_at=101.23456)
MATCH = WatchMatch("ready", "server ready", 7, "[it is ready]")


def data_of(event: NewEvent) -> dict[str, Any]:
    data: dict[str, Any] = orjson.loads(event.payload)
    return data


def notice_of(row: InboxRow) -> dict[str, Any]:
    notice: dict[str, Any] = orjson.loads(row.payload)["notice"]
    return notice


@pytest.mark.parametrize(
    ("result", "summary"),
    [("one\ntwo\nthree\n \n", "three"), ("one", "one"), ("", ""), (" \n", ""), ("x" * 201, "x" * 200)],
)
def test_the_event_of_an_end_is_summed_up_by_the_last_line_of_the_output(result: str, summary: str) -> None:
    assert data_of(complete_event(a_task(result=result)))["summary"] == summary


def test_the_event_of_an_end_says_which_task_ended_and_how() -> None:
    event = complete_event(ENDED)

    assert event.kind == "process_complete"
    assert data_of(event) == {
        "session_id": "s1",
        "process_id": "k1",
        "kind": "process",
        "event_id": "task:k1",
        "status": "failed",
        "exit_code": 2,
        "summary": "two",
    }


def test_the_notice_of_an_end_says_what_ran_for_how_long_and_what_it_left() -> None:
    row = end_row(ENDED, TaskOutcome(TaskStatus.FAILED, 2, "[it failed]", is_cut=True))

    assert (row.session_id, row.dedupe_key, row.kind, row.source) == ("s1", "task:k1", RowKind.NOTICE, "process_wakeup")
    assert (row.door, row.address, row.model) == (ENDED.door, ENDED.address, ENDED.model)
    assert row.created_at == ENDED.ended_at
    assert orjson.loads(row.payload)["text"] == "[it failed]"
    assert notice_of(row) == {
        "task_id": "k1",
        "command": "make",
        "status": "failed",
        "exit_code": 2,
        "seconds": 1.235,
        "kind": "process",
        "output": "one\ntwo\n",
        "cut": True,
    }


def test_a_task_whose_end_has_no_time_took_none() -> None:
    row = end_row(a_task(started_at=100.0), TaskOutcome(TaskStatus.LOST, None, "[lost]"))

    assert (row.created_at, notice_of(row)["seconds"], notice_of(row)["cut"]) == (100.0, 0.0, False)


def test_the_notice_and_the_event_of_a_match_have_its_place_in_the_output_as_their_key() -> None:
    task = a_task(started_at=100.0)
    row, event = match_row(task, MATCH, 102.5), match_event(task, MATCH)

    assert (row.dedupe_key, row.source, row.created_at) == ("watch:k1:7", "watch_match", 102.5)
    assert row.kind is RowKind.NOTICE
    assert orjson.loads(row.payload)["text"] == "[it is ready]"
    assert notice_of(row) == {
        "task_id": "k1",
        "command": "make",
        "status": "running",
        "exit_code": None,
        "seconds": 2.5,
        "kind": "watch",
        "output": "server ready",
        "cut": False,
        "pattern": "ready",
    }
    assert data_of(event) == {
        "session_id": "s1",
        "process_id": "k1",
        "event_id": "watch:k1:7",
        "pattern": "ready",
        "line": "server ready",
    }
