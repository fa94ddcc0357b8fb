"""The position of one reader of a session, and the frames that move it on."""

from collections.abc import Sequence

from wakeful.model.event import STEP_ABANDONED, Event
from wakeful.model.packed_json import pack
from wakeful.model.words import Word
from wakeful.web.cursor import Cursor
from wakeful.web.streams.frames import Frame, lines_of, session_frames
from wakeful.web.streams.word_frames import inline_words

# The smallest base: no words come before it.
_FIRST_BASE = 1


class Reading:
    def __init__(self, cursor: Cursor, *, inline: bool) -> None:
        self._inline = inline
        self._frames = cursor.frames
        # The cursor without its words, as text: every word's cursor begins with it.
        self._facts = str(Cursor(cursor.fact, cursor.frames))
        self._base, self._word = cursor.base, cursor.word

    @property
    def at(self) -> str:
        return f"{self._facts}~{self._base}~{self._word}" if self._base else self._facts

    def fact(self, event: Event) -> list[Frame]:
        """Return the frames of a fact. The position in words is kept until the fact that ends them."""
        if event.turn_seq is None and event.kind == STEP_ABANDONED:
            return [self.take_back(event, event.data["step"])]
        if event.ends is not None:
            self._base, self._word = 0, 0
        made, number = [], event.session_seq
        for frames, lines in session_frames(event, self._frames, inline=self._inline):
            self._facts = str(Cursor(number - 1, frames) if frames else Cursor(number))
            made.append((self.at, lines))
        self._facts, self._frames = str(number), 0
        return made

    def words(self, words: Sequence[Word]) -> list[Frame]:
        """Return the frames of these words, which are all of one step."""
        last = words[-1]
        self._base, self._word = last.head.base, last.number
        return inline_words(words, self._facts)

    def take_back(self, event: Event, step: int) -> Frame:
        """Return a `step_abandoned` for a reader that has words which the log did not keep, and move the reader back
        before the first word. The frame is in no log, so it has no fact's number.
        """
        self._base, self._word = self._base or _FIRST_BASE, 0
        data = {"session_id": event.session_id, "turn_id": event.turn_id, "step": step}
        return self.at, lines_of(STEP_ABANDONED, pack(data))
