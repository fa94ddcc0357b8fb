"""The agent's list of what is to be done in a session."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

import orjson

MOST_ITEMS = 50
LONGEST_TEXT = 300
LONGEST_ID = 64


class TodoStatus(StrEnum):
    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class TodoItem:
    id: str
    text: str
    status: TodoStatus = TodoStatus.PENDING

    @property
    def line(self) -> str:
        """The item as a model reads it in a summary."""
        return f"- {self.id} ({self.status}): {self.text}"


@dataclass(frozen=True, slots=True)
class TodoChange:
    """A new item, or what changes in one; None keeps it."""

    id: str
    text: str | None = None
    status: TodoStatus | None = None


class TodoUnfit(Exception):
    """A change that the list cannot take; the text says why."""


def merged_todo(items: Sequence[TodoItem], changes: Sequence[TodoChange], removed: Collection[str]) -> list[TodoItem]:
    """Return the list with these changes; new items go to its end. Raises TodoUnfit."""
    found = {item.id: item for item in items}
    for change in changes:
        found[change.id] = _changed(found.get(change.id), change)
    left = [item for item in found.values() if item.id not in removed]
    if len(left) > MOST_ITEMS:
        raise TodoUnfit(f"the list would have {len(left)} items, and {MOST_ITEMS} is the most: remove some")
    return left


def pack_todo(items: Sequence[TodoItem]) -> bytes:
    return orjson.dumps([asdict(item) for item in items]) if items else b""


def unpack_todo(packed: bytes) -> list[TodoItem]:
    rows = orjson.loads(packed) if packed else []
    return [TodoItem(row["id"], row["text"], TodoStatus(row["status"])) for row in rows]


def _changed(item: TodoItem | None, change: TodoChange) -> TodoItem:
    if item is None and change.text is None:
        raise TodoUnfit(f"the item {change.id} is new and needs a text")
    item = item or TodoItem(change.id, "")
    return replace(item, text=change.text or item.text, status=change.status or item.status)
