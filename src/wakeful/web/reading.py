"""Where one reader of a session stands, and what it is told next."""

from collections.abc import Sequence
from dataclasses import replace

from wakeful.model.event import STEP_ABANDONED, Event
from wakeful.model.packed_json import pack
from wakeful.model.words import Word
from wakeful.web.cursor import Cursor
from wakeful.web.frames import Frame, lines_of, session_frames
from wakeful.web.word_frames import inline_words

# Before every other: after it all words are new.
_FIRST_BASE = 1


class Reading:
    def __init__(self, cursor: Cursor, *, inline: bool) -> None:
        self.at = cursor
        self._inline = inline

    def fact(self, event: Event) -> list[Frame]:
        """A place in words stays until the fact comes that ends them."""
        if event.turn_seq is None and event.kind == STEP_ABANDONED:
            return [self.take_back(event, event.data["step"])]
        seen, before = self.at.frames, event.session_seq - 1
        base, place = (0, 0) if event.ends is not None else (self.at.base, self.at.place)
        self.at = Cursor(event.session_seq, 0, base, place)
        return [
            (str(Cursor(before, frames, base, place) if frames else self.at), lines)
            for frames, lines in session_frames(event, seen, inline=self._inline)
        ]

    def words(self, words: Sequence[Word]) -> list[Frame]:
        """Of one step."""
        facts, last = replace(self.at, base=0, place=0), words[-1]
        self.at = replace(facts, base=last.head.base, place=last.place)
        return inline_words(words, str(facts))

    def take_back(self, event: Event, step: int) -> Frame:
        """A reader that has words which are not kept drops them: it then stands before the first of those that are. No
        log has this, so it has no number of its own.
        """
        self.at = replace(self.at, base=self.at.base or _FIRST_BASE, place=0)
        data = {"session_id": event.session_id, "turn_id": event.turn_id, "step": step}
        return str(self.at), lines_of(STEP_ABANDONED, pack(data))
