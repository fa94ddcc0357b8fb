"""A reader's position in the stream of a run. Questions reach the log while words are streamed that are not in it yet,
so a replay may send them in another order: an event's number does not tell what a reader has seen, its id does.
"""

from dataclasses import dataclass, field, replace

from wakeful.model.event import StreamItem
from wakeful.model.words import Position, Word


@dataclass(frozen=True, slots=True)
class RunCursor:
    """After this position in the session; or, for clients that count events, after the one with this number."""

    position: Position = field(default_factory=Position)
    number: int = -1

    @property
    def id(self) -> str:
        return f"{self.position.fact}.{self.position.base}.{self.position.word}"

    def after(self, item: StreamItem) -> "RunCursor":
        if isinstance(item, Word):
            return RunCursor(replace(self.position, base=item.head.base, word=item.number))
        return RunCursor(replace(self.position, fact=item.session_seq))

    def is_within(self, last: int) -> bool:
        """Return whether a session whose last event has this number has reached this position."""
        return self.position.base <= self.position.fact <= last

    def covers(self, item: StreamItem, number: int) -> bool:
        """Return whether the reader has seen the stream event with this number, which `item` makes."""
        if isinstance(item, Word):
            return number <= self.number or (item.head.base, item.number) <= (self.position.base, self.position.word)
        return number <= self.number or item.session_seq <= self.position.fact


def cursor_from(given: str) -> RunCursor:
    """`given` is an id, a number or empty; request.py declares the pattern."""
    if not given:
        return RunCursor()
    first, *rest = map(int, given.split("."))
    return RunCursor(Position(first, *rest)) if rest else RunCursor(number=first)
