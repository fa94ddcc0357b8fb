"""Where a reader of a run stands. Questions come while words are being said, and are written down while those are not:
so a number alone does not say what a reader has seen. The id of an event does.
"""

from dataclasses import dataclass, field, replace

from wakeful.model.event import StreamItem
from wakeful.model.words import Position, Word


@dataclass(frozen=True, slots=True)
class RunCursor:
    """After this place in the session; or, as clients have it that count, after the event with this number."""

    position: Position = field(default_factory=Position)
    number: int = -1

    @property
    def id(self) -> str:
        return f"{self.position.fact}.{self.position.base}.{self.position.word}"

    def after(self, told: StreamItem) -> "RunCursor":
        if isinstance(told, Word):
            return RunCursor(replace(self.position, base=told.head.base, word=told.number))
        return RunCursor(replace(self.position, fact=told.session_seq))

    def is_within(self, last: int) -> bool:
        """Whether a reader can stand here, in a session whose last event has this number."""
        return self.position.base <= self.position.fact <= last

    def covers(self, told: StreamItem, number: int) -> bool:
        """Whether the reader has seen the event of this number, which was made of this."""
        if isinstance(told, Word):
            return number <= self.number or (told.head.base, told.number) <= (self.position.base, self.position.word)
        return number <= self.number or told.session_seq <= self.position.fact


def cursor_from(given: str) -> RunCursor:
    """`given` is an id, a number, or empty: run_request.py declares which texts come here."""
    if not given:
        return RunCursor()
    first, *rest = map(int, given.split("."))
    return RunCursor(Position(first, *rest)) if rest else RunCursor(number=first)
