"""`todo`: the list of what is to be done, which the user sees too."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from wakeful.model.tools.todo import LONGEST_ID, LONGEST_TEXT, MOST_ITEMS, TodoChange, TodoStatus, TodoUnfit
from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec, Unusable
from wakeful.tools.ports import TodoLists


class TodoTool:
    spec = ToolSpec(
        name="todo",
        description=(
            "Keep a list of what is to be done, for work of several steps; the user sees it. Items are merged by id: "
            "name only those that are new or change. The answer is the whole list, also for a call without items."
        ),
        parameters={
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "maxItems": MOST_ITEMS,
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "string", "maxLength": LONGEST_ID},
                            "text": {"type": "string", "maxLength": LONGEST_TEXT, "description": "For a new item."},
                            "status": {"type": "string", "enum": [*TodoStatus]},
                        },
                        "required": ["id"],
                    },
                },
                "remove": {"type": "array", "items": {"type": "string"}, "description": "Ids of items to remove."},
            },
        },
    )

    def __init__(self, lists: TodoLists) -> None:
        self._lists = lists

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        # The list is the agent's own: it changes no file and nothing of the user's.
        return Intent()

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        # Merging the same items again changes nothing.
        return True

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            changes = [_change_of(item) for item in _list_of(arguments, "items")]
            removed = [_id_of(name, "remove") for name in _list_of(arguments, "remove")]
            items = await self._lists.change(context.turn, changes, removed)
        except (Unusable, TodoUnfit) as error:
            return ToolResult.failed("invalid_arguments", f"{error}.")
        return ToolResult.of({"items": [asdict(item) for item in items]})


def _list_of(arguments: Mapping[str, Any], name: str) -> list[Any]:
    given = arguments.get(name) or []
    if not isinstance(given, list):
        raise Unusable(f"{name} must be a list")
    return given


def _change_of(item: Any) -> TodoChange:
    if not isinstance(item, Mapping):
        raise Unusable("every item must be an object with an id")
    text, status = item.get("text"), item.get("status")
    if text is not None and not (isinstance(text, str) and 0 < len(text.strip()) <= LONGEST_TEXT):
        raise Unusable(f"the text of an item must be a string of at most {LONGEST_TEXT} characters")
    if status is not None and status not in [*TodoStatus]:
        raise Unusable(f"the status of an item must be one of {', '.join(TodoStatus)}")
    identity = _id_of(item.get("id"), "items")
    return TodoChange(identity, _on_one_line(text), None if status is None else TodoStatus(status))


def _id_of(value: Any, name: str) -> str:
    # Models sometimes count items with numbers.
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not 0 < len(text) <= LONGEST_ID:
        raise Unusable(f"every id in {name} must be a string of at most {LONGEST_ID} characters")
    return text


def _on_one_line(text: str | None) -> str | None:
    return None if text is None else " ".join(text.encode(errors="replace").decode().split())
