"""Where an item stands in the journal. Its id says it: <kind>_<turn>_<step>_<number>."""

from collections.abc import Sequence
from dataclasses import dataclass

from wakeful.gateway.openai.items.objects import FunctionCall, FunctionOutput, ShownItem
from wakeful.model.journal.entry import REASONING, TEXT, WHOLE, Entry, EntryPart, deleted_parts

_NUMBER_LIMIT = 9


@dataclass(frozen=True, slots=True)
class ItemPosition:
    turn_id: str
    step: int
    index: int
    part: EntryPart
    # The index of the entry of its result, where the item holds that too.
    result_index: int | None = None

    @property
    def parts(self) -> list["ItemPosition"]:
        """All positions that its content stands at."""
        result = self.result_index
        return [self] if result is None else [self, ItemPosition(self.turn_id, self.step, result, WHOLE)]

    def entry_in(self, journal: Sequence[Entry]) -> Entry | None:
        """`journal` is its turn's."""
        found = [entry for entry in journal if (entry.step, entry.index) == (self.step, self.index)]
        return found[0] if found else None

    def is_deleted(self, journal: Sequence[Entry]) -> bool:
        entry = self.entry_in(journal)
        return entry is not None and self.part in deleted_parts(entry)


def position_of(item_id: str) -> ItemPosition | None:
    """None for what is no id of an item. There need not be anything at the position."""
    kind, _, rest = item_id.partition("_")
    turn, _, numbers = rest.partition("_")
    step, _, number = numbers.partition("_")
    if not turn or "\0" in turn or not _is_number(step) or not _is_number(number):
        return None
    position = _position_in_step(kind, int(step), int(number))
    return None if position is None else ItemPosition(f"turn_{turn}", int(step), *position)


def _position_in_step(kind: str, step: int, number: int) -> tuple[int, EntryPart, int | None] | None:
    """The index of its entry, which part of that it is, and the index of its result."""
    if step == 0:
        return number, WHOLE, None
    match kind:
        case "msg":
            return 0, TEXT, None
        case "rs":
            return 0, REASONING, None
        case "fc":
            return 0, number + 1, None
        case "fco":
            return number + 1, WHOLE, None
        case "mcp":
            return 0, number + 1, number + 1
    return None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _NUMBER_LIMIT


def pair_of(items: Sequence[ShownItem], item: ShownItem) -> list[ShownItem]:
    """The item, and the other half of its pair if it is a call that has its output here, or the output of one."""
    calls: dict[str, ShownItem] = {}
    for other in items:
        if isinstance(other, FunctionCall):
            calls[other.call_id] = other
        elif isinstance(other, FunctionOutput):
            pair = [calls.pop(other.call_id, other), other]
            if item in pair:
                return pair
    return [item]
