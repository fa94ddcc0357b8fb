"""Words that a reader has already, and that are read again all the same: HTML is made of a whole step."""

from wakeful.model.event import STEP_ABANDONED, Event
from wakeful.model.words import Word
from wakeful.web.cursor import Cursor


class HadWords:
    def __init__(self, cursor: Cursor) -> None:
        self._base, self._place = cursor.base, cursor.place
        # Those that came again, until it is clear that the rest comes too.
        self._again: list[Word] = []

    def new_of(self, words: list[Word]) -> list[Word]:
        """Of words of one step, those that the reader does not have."""
        if not self._place or words[0].head.base != self._base or words[0].place > self._place:
            return words
        self._again += [word for word in words if word.place <= self._place]
        if words[-1].place >= self._place:
            self._again = []
        return [word for word in words if word.place > self._place]

    def left_by(self, event: Event) -> list[Word] | None:
        """All words that are kept, where the fact that ends them keeps fewer than the reader has; None elsewhere."""
        if event.ends is None or event.ends.base != self._base or event.ends.count >= self._place:
            return None
        if event.kind == STEP_ABANDONED:
            # All of them go.
            return None
        again, self._again, self._place = self._again, [], 0
        return again
