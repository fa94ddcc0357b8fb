"""What the tool `todo` takes for items, and what it refuses."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.kit import new_turn, run_tool, tool_context
from wakeful.model.tools.todo import TodoChange, TodoItem, TodoStatus
from wakeful.model.turn import Turn
from wakeful.tools.base import Intent
from wakeful.tools.todo_tool import TodoTool


class Lists:
    def __init__(self) -> None:
        self.changes: Sequence[TodoChange] = ()
        self.removed: Collection[str] = ()

    async def change(self, turn: Turn, changes: Sequence[TodoChange], removed: Collection[str]) -> Sequence[TodoItem]:
        self.changes, self.removed = changes, removed
        return [TodoItem("1", "look", TodoStatus.ACTIVE)]


async def test_items_are_read_and_the_whole_list_is_answered(tmp_path: Path) -> None:
    lists = Lists()
    items = [{"id": " a ", "text": " look\nround ", "status": "done"}, {"id": 2}, {"id": "x" * 64, "text": "y" * 300}]

    answer, _ = await run_tool(TodoTool(lists), new_turn(tmp_path), items=items, remove=[3, "b"])

    assert answer == {"items": [{"id": "1", "text": "look", "status": "active"}]}
    assert lists.changes == [
        TodoChange("a", "look round", TodoStatus.DONE),
        TodoChange("2"),
        TodoChange("x" * 64, "y" * 300),
    ]
    assert lists.removed == ["3", "b"]
    await run_tool(TodoTool(lists), new_turn(tmp_path), items=None, remove="")
    assert (lists.changes, lists.removed) == ([], [])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"items": "a"}, "items must be a list."),
        ({"remove": {"a": 1}}, "remove must be a list."),
        ({"items": ["a"]}, "every item must be an object with an id."),
        ({"items": [{"id": "a", "text": " "}]}, "the text of an item must be a string of at most 300 characters."),
        ({"items": [{"id": "a", "text": 7}]}, "the text of an item must be a string of at most 300 characters."),
        (
            {"items": [{"id": "a", "text": "y" * 301}]},
            "the text of an item must be a string of at most 300 characters.",
        ),
        ({"items": [{"id": "a", "status": "new"}]}, "the status of an item must be one of pending, active, done."),
        ({"items": [{}]}, "every id in items must be a string of at most 64 characters."),
        ({"items": [{"id": True}]}, "every id in items must be a string of at most 64 characters."),
        ({"items": [{"id": "x" * 65}]}, "every id in items must be a string of at most 64 characters."),
        ({"remove": [" "]}, "every id in remove must be a string of at most 64 characters."),
    ],
)
async def test_what_is_no_item_is_refused(tmp_path: Path, arguments: dict[str, Any], error: str) -> None:
    lists = Lists()

    answer, result = await run_tool(TodoTool(lists), new_turn(tmp_path), **arguments)

    assert (answer, result.is_error) == ({"error": error, "code": "invalid_arguments"}, True)
    assert lists.changes == ()


async def test_nobody_is_asked_about_the_list_and_a_call_may_run_again(tmp_path: Path) -> None:
    tool = TodoTool(Lists())

    assert await tool.intent({"items": []}, tool_context(tmp_path)) == Intent()
    assert await tool.may_rerun({}, tool_context(tmp_path)) is True
