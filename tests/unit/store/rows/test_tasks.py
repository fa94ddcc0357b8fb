"""Tasks as rows."""

from typing import Any

import pytest

from tests.store.nouns import a_task
from wakeful.model.inbox import RowStatus
from wakeful.model.session import Address, Sender
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskStatus
from wakeful.model.turn import Door
from wakeful.store.rows.tasks import TASK_COLUMNS, task_from, task_values

# Columns that a new task does not fill, and those of the notice of its end.
LATER = {
    "exit_code": None,
    "result": b"",
    "kill_intended": 0,
    "ended_at": None,
    "notice_status": None,
    "woke_turn_id": None,
}
# Each value is another one, so that no two columns can be mistaken for each other.
DELEGATION = a_task(
    kind=TaskKind.DELEGATION,
    turn_id="t7",
    step=2,
    index=3,
    part=4,
    host=Host("host7", "boot8"),
    command="Count\0 \N{CHERRIES}",
    door=Door("slack", async_delivery=False),
    address=Address("telegram", "chat", "thread", Sender("55", "9")),
    will_notify=False,
    is_inline=True,
    spec=b'{"tools": []}',
    watch=b'{"is_off": true}',
    attempt=5,
    node="node1",
    child_session_id="s2",
)


def a_row(task: Task, **changes: Any) -> dict[str, Any]:
    return dict(zip(TASK_COLUMNS, task_values(task), strict=True)) | LATER | changes


@pytest.mark.parametrize("task", [a_task(), DELEGATION], ids=["process", "delegation"])
def test_a_task_comes_back_whole(task: Task) -> None:
    found = task_from(a_row(task))

    assert found == task
    # Two addresses are equal whoever has written.
    assert found.address.sender == task.address.sender
    assert (isinstance(found.kind, TaskKind), isinstance(found.status, TaskStatus)) == (True, True)


def test_the_end_of_a_task_is_read_with_its_notice() -> None:
    ended = {"status": "killed", "exit_code": -9, "result": b"made \xf0\x9f\x8d\x92", "kill_intended": 1}
    notice = {"ended_at": 60.0, "notice_status": "pending", "woke_turn_id": "t2"}

    found = task_from(a_row(a_task(), **ended, **notice))

    assert (found.status, found.exit_code, found.result) == (TaskStatus.KILLED, -9, "made \N{CHERRIES}")
    assert (found.kill_intended, found.ended_at) == (True, 60.0)
    assert (found.notice_status, found.woke_turn_id) == (RowStatus.PENDING, "t2")
    assert isinstance(found.notice_status, RowStatus)


@pytest.mark.parametrize("column", ["will_notify", "is_inline", "kill_intended"])
def test_numbers_of_a_database_without_booleans_are_read_as_such(column: str) -> None:
    other = {"will_notify": 0, "is_inline": 0, "kill_intended": 0}

    found = task_from(a_row(a_task(), **(other | {column: 1})))

    assert [name for name in other if getattr(found, name) is True] == [column]
    assert [name for name in other if getattr(found, name) is False] == [name for name in other if name != column]
