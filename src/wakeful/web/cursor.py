"""Cursors: the position of a reader in a session or a turn, as the text of a frame's `id`. Clients treat it as opaque.

`N` is after the fact N. `N.k` is after the k-th frame of the fact N; after its last frame the cursor is `N`.
`N~b~p` is in the middle of words: after the fact N, and after p pieces of the words that follow the fact b. Other facts
of the session can be committed while its turn streams words, so b may be less than N. A stream of several sessions
joins their cursors: `a:12~9~37,b:40.1`. The cursor of a turn's stream counts the turn's facts and needs no base: `N~p`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from wakeful.model.words import Position

# No log gets to numbers with more digits.
_NUMBER = r"(\d{1,15})"
_OF_SESSION = re.compile(rf"{_NUMBER}(?:\.{_NUMBER})?(?:~{_NUMBER}~{_NUMBER})?", re.ASCII)
_OF_TURN = re.compile(rf"{_NUMBER}(?:~{_NUMBER})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cursor:
    # The last fact whose frames the reader has all had.
    fact: int
    # How many frames of the next fact it has had.
    frames: int = 0
    # How many pieces it has had of the words that follow the fact `base`. Without words the base is 0.
    base: int = 0
    word: int = 0

    def __str__(self) -> str:
        facts = f"{self.fact + 1}.{self.frames}" if self.frames else str(self.fact)
        return f"{facts}~{self.base}~{self.word}" if self.base else facts

    @property
    def in_engine(self) -> Position:
        return Position(self.fact, self.base, self.word)


START = Cursor(0)


def cursor_in_words(fact: int, base: int, word: int) -> Cursor:
    """Return the cursor after this fact and so many pieces of the words that follow the fact `base`, if not 0."""
    # If other facts have followed the base, the cursor has to name it even without words.
    return Cursor(fact, 0, base, word) if word or base < fact else Cursor(fact)


def fact_of(text: str) -> int:
    """Return the number of the last fact that a reader at this cursor has had, whole or in part."""
    found = _OF_SESSION.fullmatch(text)
    return 0 if found is None else int(found[1])


def parse_cursor(text: str, last: int) -> Cursor:
    """Return the cursor, or the start if it is malformed or beyond the log's end, so that no reader skips facts.

    A position in words may lie beyond the words that this node has: the engine waits for them.
    """
    found = _OF_SESSION.fullmatch(text)
    if found is None:
        return START
    number, frames, base, word = (None if part is None else int(part) for part in found.groups())
    assert number is not None
    fact = number if frames is None else number - 1
    # Frames are counted from 1, and a reader gets no words before the fact that they follow.
    is_sound = frames != 0 and (base is None or 0 < base <= fact) and fact >= 0
    return Cursor(fact, frames or 0, base or 0, word or 0) if is_sound and number <= last else START


def parse_turn_cursor(text: str, last: int) -> tuple[int, int]:
    """Return the fact of the turn and the number of pieces after it; (0, 0) for a malformed cursor."""
    found = _OF_TURN.fullmatch(text)
    if found is None:
        return 0, 0
    fact, word = int(found[1]), int(found[2] or 0)
    return (fact, word) if 0 < fact <= last else (0, 0)


def parse_cursors(text: str, lasts: Mapping[str, int]) -> dict[str, Cursor]:
    """Return the cursors of the known sessions that the text names; if it is malformed, the start for all of them."""
    parts = [part.rpartition(":") for part in text.split(",")]
    if not all(name and colon for name, colon, _ in parts):
        return dict.fromkeys(lasts, START)
    return {name: parse_cursor(rest, lasts[name]) for name, _, rest in parts if name in lasts}
