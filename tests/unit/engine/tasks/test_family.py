"""The tree of sessions that delegations make: the top delegates to a child, and that to a grandchild."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.store.nouns import a_session, a_task, a_turn
from wakeful.engine.tasks.family import child_below, has_woken_turn, sessions_above
from wakeful.model.tasks.task import TaskKind
from wakeful.model.turn import Turn

TOP, CHILD, GRANDCHILD = a_session("top"), a_session("child", task_id="d1"), a_session("grandchild", task_id="d2")
TASKS = [
    a_task("d1", "top", kind=TaskKind.DELEGATION, turn_id="t1", child_session_id="child"),
    a_task("d2", "child", kind=TaskKind.DELEGATION, turn_id="t2", child_session_id="grandchild"),
    a_task("p1", "child", turn_id="t2"),
]


def records(*turns: Turn) -> Any:
    """What a transaction reads of them."""

    def table(*rows: Any) -> Any:
        known = {row.id: row for row in rows}

        async def get(row_id: str) -> Any:
            return known.get(row_id)

        return SimpleNamespace(get=get)

    sessions = table(TOP, CHILD, GRANDCHILD, a_session("stranger"))
    return SimpleNamespace(sessions=sessions, tasks=table(*TASKS), turns=table(*turns))


async def test_a_session_comes_before_those_that_it_works_for() -> None:
    assert await sessions_above(records(), "grandchild") == [GRANDCHILD, CHILD, TOP]
    assert await sessions_above(records(), "child") == [CHILD, TOP]
    assert await sessions_above(records(), "top") == [TOP]


@pytest.mark.parametrize(("woken", "is_woken"), [(set(), False), ({"t1"}, True), ({"t2"}, True), ({"t1", "t2"}, True)])
async def test_a_turn_that_notices_opened_anywhere_above_has_woken_all_below(woken: set[str], is_woken: bool) -> None:
    turns = [a_turn(turn_id, is_wakeup=turn_id in woken) for turn_id in ("t1", "t2")]

    assert await has_woken_turn(records(*turns), [GRANDCHILD, CHILD, TOP]) is is_woken


async def test_a_turn_that_is_gone_has_woken_nobody_and_one_above_it_has() -> None:
    above = [GRANDCHILD, CHILD, TOP]

    assert not await has_woken_turn(records(), above)
    assert not await has_woken_turn(records(a_turn("t1", is_wakeup=True)), [TOP])
    assert await has_woken_turn(records(a_turn("t1", is_wakeup=True)), above)


@pytest.mark.parametrize(
    ("session_id", "task_id", "child"),
    [
        ("top", "d1", "child"),
        ("top", "d2", "grandchild"),
        ("child", "d2", "grandchild"),
        ("child", "d1", None),
        ("grandchild", "d2", None),
        ("stranger", "d1", None),
        ("stranger", "d2", None),
        ("top", "unknown", None),
        ("top", "p1", None),
    ],
)
async def test_a_delegation_is_found_from_every_session_above_it_and_from_no_other(
    session_id: str, task_id: str, child: str | None
) -> None:
    assert await child_below(records(), session_id, task_id) == child
