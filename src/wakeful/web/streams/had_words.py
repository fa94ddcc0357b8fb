"""Filters out the words that a resuming reader already has.

They are read again because the HTML of a step needs its whole text.
"""

from wakeful.model.event import STEP_ABANDONED, Event
from wakeful.model.words import Word
from wakeful.web.cursor import Cursor


class HadWords:
    def __init__(self, cursor: Cursor) -> None:
        self._base, self._word = cursor.base, cursor.word
        # The words read again so far. Emptied once all have come: the log may have kept fewer than the reader has had.
        self._again: list[Word] = []

    def new_of(self, words: list[Word]) -> list[Word]:
        """Return the words that the reader has not had. All are of one step."""
        if not self._word or words[0].head.base != self._base or words[0].number > self._word:
            return words
        if words[-1].number < self._word:
            self._again += words
            return []
        self._again = []
        return [word for word in words if word.number > self._word]

    def left_by(self, event: Event) -> list[Word] | None:
        """Return the words that the log has kept, if they are fewer than the reader has had; otherwise None."""
        if event.ends is None or event.ends.base != self._base or event.ends.count >= self._word:
            return None
        if event.kind == STEP_ABANDONED:
            # This event drops all words of the step anyway.
            return None
        again, self._again, self._word = self._again, [], 0
        return again
