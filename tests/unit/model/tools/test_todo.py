"""The agent's list: what a change makes of it."""

import pytest

from wakeful.model.tools.todo import (
    MOST_ITEMS,
    TodoChange,
    TodoItem,
    TodoStatus,
    TodoUnfit,
    merged_todo,
    pack_todo,
    unpack_todo,
)

ITEMS = [TodoItem("1", "build"), TodoItem("2", "test", TodoStatus.ACTIVE)]


@pytest.mark.parametrize(
    ("change", "item"),
    [
        (TodoChange("2"), TodoItem("2", "test", TodoStatus.ACTIVE)),
        (TodoChange("2", "test all"), TodoItem("2", "test all", TodoStatus.ACTIVE)),
        (TodoChange("2", status=TodoStatus.DONE), TodoItem("2", "test", TodoStatus.DONE)),
    ],
)
def test_a_change_keeps_what_it_does_not_name(change: TodoChange, item: TodoItem) -> None:
    assert merged_todo(ITEMS, [change], []) == [ITEMS[0], item]


def test_new_items_go_to_the_end_and_removed_ones_away() -> None:
    assert merged_todo(ITEMS, [TodoChange("3", "ship")], ["1"]) == [ITEMS[1], TodoItem("3", "ship")]


def test_a_new_item_needs_a_text() -> None:
    with pytest.raises(TodoUnfit, match="the item 3 is new and needs a text"):
        merged_todo(ITEMS, [TodoChange("3", status=TodoStatus.DONE)], [])


def test_a_list_is_full_at_some_point() -> None:
    full = [TodoChange(str(number), "do it") for number in range(MOST_ITEMS)]

    assert len(merged_todo([], full, [])) == MOST_ITEMS
    assert len(merged_todo([], [*full, TodoChange("more", "do it")], ["0"])) == MOST_ITEMS
    with pytest.raises(TodoUnfit, match="51 items, and 50 is the most"):
        merged_todo([], [*full, TodoChange("more", "do it")], [])


def test_a_list_is_read_back_as_it_was_kept_and_an_empty_one_takes_no_bytes() -> None:
    assert unpack_todo(pack_todo(ITEMS)) == ITEMS
    assert pack_todo([]) == b""
    assert unpack_todo(b"") == []
