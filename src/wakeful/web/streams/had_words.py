"""Words that a reader has had already. They are read again because the HTML of a step needs all of its text."""

from wakeful.model.event import STEP_ABANDONED, Event
from wakeful.model.words import Word
from wakeful.web.cursor import Cursor


class HadWords:
    def __init__(self, cursor: Cursor) -> None:
        self._base, self._word = cursor.base, cursor.word
        # Those read again so far, until all are: the log may have kept fewer than the reader has had.
        self._again: list[Word] = []

    def new_of(self, words: list[Word]) -> list[Word]:
        """Return those that the reader has not had; all are of one step."""
        if not self._word or words[0].head.base != self._base or words[0].number > self._word:
            return words
        self._again += [word for word in words if word.number <= self._word]
        if words[-1].number >= self._word:
            self._again = []
        return [word for word in words if word.number > self._word]

    def left_by(self, event: Event) -> list[Word] | None:
        """Return the words that the log has kept, if they are fewer than the reader has had; otherwise None."""
        if event.ends is None or event.ends.base != self._base or event.ends.count >= self._word:
            return None
        if event.kind == STEP_ABANDONED:
            # It drops all words of the step anyway.
            return None
        again, self._again, self._word = self._again, [], 0
        return again
