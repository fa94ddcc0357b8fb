"""The position of an item in the journal, which its id gives: <kind>_<turn>_<step>_<number>."""

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
    # The index of the entry with the result, if the item holds that too.
    result_index: int | None = None

    @property
    def parts(self) -> list["ItemPosition"]:
        """The positions of all that the item holds."""
        result = self.result_index
        return [self] if result is None else [self, ItemPosition(self.turn_id, self.step, result, WHOLE)]

    def entry_in(self, journal: Sequence[Entry]) -> Entry | None:
        """Return the entry at this position in the journal of its turn."""
        found = [entry for entry in journal if (entry.step, entry.index) == (self.step, self.index)]
        return found[0] if found else None

    def is_deleted(self, journal: Sequence[Entry]) -> bool:
        entry = self.entry_in(journal)
        return entry is not None and self.part in deleted_parts(entry)


def position_of(item_id: str) -> ItemPosition | None:
    """Return None for a malformed id. The journal need not have an entry at the position."""
    kind, _, rest = item_id.partition("_")
    turn, _, numbers = rest.partition("_")
    step, _, number = numbers.partition("_")
    if not turn or "\0" in turn or not _is_number(step) or not _is_number(number):
        return None
    position = _position_in_step(kind, int(step), int(number))
    return None if position is None else ItemPosition(f"turn_{turn}", int(step), *position)


def _position_in_step(kind: str, step: int, number: int) -> tuple[int, EntryPart, int | None] | None:
    """Return the index of the item's entry, the part of the entry that it shows, and the index of its result."""
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
    """Return the item; for a call or an output, together with the other of the two if that is among `items`."""
    calls: dict[str, ShownItem] = {}
    for other in items:
        if isinstance(other, FunctionCall):
            calls[other.call_id] = other
        elif isinstance(other, FunctionOutput):
            pair = [calls.pop(other.call_id, other), other]
            if item in pair:
                return pair
    return [item]
