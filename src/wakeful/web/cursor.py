"""Cursors: where a reader stands, as the text that stands in a frame's `id`. Readers give it back as it is.

`N` is after the fact N; `N.k` is after the k-th of the frames that the fact N makes; the last of them is `N` again.
`N~b~p` is in the middle of words: after the fact N, and after p pieces of the words that follow the fact b (facts of
the session may come while its turn speaks, so b may be less than N). Several sessions on one stream have one each:
`a:12~9~37,b:40.1`. The cursor in one turn counts its own facts, and needs no base: `N` or `N~p`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from wakeful.model.words import Place

# Longer ones are no numbers that any log gives out.
_NUMBER = r"(\d{1,15})"
_OF_SESSION = re.compile(rf"{_NUMBER}(?:\.{_NUMBER})?(?:~{_NUMBER}~{_NUMBER})?", re.ASCII)
_OF_TURN = re.compile(rf"{_NUMBER}(?:~{_NUMBER})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cursor:
    # Every fact up to this one has been seen whole.
    fact: int
    # Of the next one, so many frames.
    frames: int = 0
    # And of the words that follow the fact `base`, the first `place` pieces. No base: no words.
    base: int = 0
    place: int = 0

    def __str__(self) -> str:
        facts = f"{self.fact + 1}.{self.frames}" if self.frames else str(self.fact)
        return f"{facts}~{self.base}~{self.place}" if self.base else facts

    @property
    def in_engine(self) -> Place:
        return Place(self.fact, self.base, self.place)


START = Cursor(0)


def fact_of(text: str) -> int:
    """The last fact of which a reader has something that was given this cursor."""
    found = _OF_SESSION.fullmatch(text)
    return 0 if found is None else int(found[1])


def parse_cursor(text: str, last: int) -> Cursor:
    """What is not understood, or lies beyond the end of the log, is the start: never a silent skip. A place in words
    may lie beyond what is known here: it is waited for.
    """
    found = _OF_SESSION.fullmatch(text)
    if found is None:
        return START
    number, frames, base, place = (None if part is None else int(part) for part in found.groups())
    assert number is not None
    fact = number if frames is None else number - 1
    # Frames are counted from 1, and no word is shown before its base.
    is_sound = frames != 0 and (base is None or 0 < base <= fact) and fact >= 0
    return Cursor(fact, frames or 0, base or 0, place or 0) if is_sound and number <= last else START


def parse_turn_cursor(text: str, last: int) -> tuple[int, int]:
    """After which fact of a turn, and after how many pieces of the words that follow it."""
    found = _OF_TURN.fullmatch(text)
    fact, place = (0, 0) if found is None else (int(found[1]), int(found[2] or 0))
    return (fact, place) if 0 < fact <= last else (0, 0)


def parse_cursors(text: str, lasts: Mapping[str, int]) -> dict[str, Cursor]:
    """One cursor for each session that the text names; when it is not understood at all, the start for every one."""
    parts = [part.rpartition(":") for part in text.split(",")]
    if not all(name and colon for name, colon, _ in parts):
        return dict.fromkeys(lasts, START)
    return {name: parse_cursor(rest, lasts[name]) for name, _, rest in parts if name in lasts}
