"""The list of what is to be done: in a session, and in turns that are not stored."""

from dataclasses import replace
from typing import Any

import pytest

from tests.engine.test_ephemeral import ephemeral_turn
from tests.store.nouns import a_turn, have_session
from wakeful.engine import todo_desk
from wakeful.engine.todo_desk import TodoDesk
from wakeful.model.tools.todo import TodoChange, TodoItem, TodoStatus
from wakeful.store.base import Store

BUY = TodoChange("1", "buy milk")


async def test_only_what_changes_a_list_is_announced(store: Store) -> None:
    await have_session(store)
    desk, turn = TodoDesk(store), a_turn()

    for changes in ([BUY], [BUY], [], [TodoChange("1", status=TodoStatus.DONE)]):
        await desk.change(turn, changes, [])

    events = await store.read(lambda tx: tx.events.of_session("s1", 0, 10))
    assert [(event.kind, event.data["items"]) for event in events] == [
        ("todo", [{"id": "1", "text": "buy milk", "status": status}]) for status in ("pending", "done")
    ]
    assert await desk.change(turn, [], []) == [TodoItem("1", "buy milk", TodoStatus.DONE)]


async def test_turns_that_are_not_stored_have_lists_of_their_own_and_the_least_used_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(todo_desk, "_MOST_UNSTORED", 2)
    no_store: Any = None
    desk = TodoDesk(no_store)
    one, two, three = (replace(ephemeral_turn(), id=turn_id) for turn_id in ("one", "two", "three"))

    for turn in (one, two, one):
        await desk.change(turn, [TodoChange(turn.id, "do it")], [])
    assert [len(await desk.change(turn, [], [])) for turn in (two, one)] == [1, 1]
    await desk.change(three, [BUY], [])

    assert [len(await desk.change(turn, [], [])) for turn in (one, three)] == [1, 1]
    assert await desk.change(two, [], []) == []
