"""Words: the text and the reasoning of an answer, in the pieces in which the model streams them.

While a model answers a step, its words are shown but not stored. They end with one event of their turn (an event with
`ends`), which records where the pieces were cut: a later reader of the log gets the same pieces with the same numbers
as a live one.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

TOKEN = "token"
REASONING = "reasoning"

# Type codes of `array` and the lengths that fit. The smallest possible is used: most pieces take one byte.
_WIDTHS = (("b", 1 << 7), ("h", 1 << 15), ("i", 1 << 31))


@dataclass(frozen=True, slots=True)
class WordsHead:
    """Identifies the words of a step."""

    session_id: str
    turn_id: str
    step: int
    # The session's number of the last event of their turn before them.
    base: int


class Word(NamedTuple):
    """One piece, as the model sent it."""

    head: WordsHead
    # Counted from 1 after the base.
    number: int
    # TOKEN or REASONING.
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """All words of a step, joined, and the lengths of the pieces in characters, negative for reasoning."""

    text: str = ""
    reasoning: str = ""
    cuts: tuple[int, ...] = ()

    @classmethod
    def of(cls, words: Iterable[Word]) -> "Said":
        words = list(words)
        return cls(
            "".join(word.text for word in words if word.kind == TOKEN),
            "".join(word.text for word in words if word.kind == REASONING),
            tuple(len(word.text) if word.kind == TOKEN else -len(word.text) for word in words),
        )

    def words(self, head: WordsHead, after: int = 0, limit: int | None = None) -> list[Word]:
        """Return the pieces after the first `after`, at most `limit`."""
        said = sum(cut for cut in islice(self.cuts, after) if cut > 0)
        thought = -sum(cut for cut in islice(self.cuts, after) if cut < 0)
        words: list[Word] = []
        last = None if limit is None else after + limit
        for number, cut in enumerate(self.cuts[after:last], start=after + 1):
            if cut > 0:
                words.append(Word(head, number, TOKEN, self.text[said : said + cut]))
                said += cut
            else:
                words.append(Word(head, number, REASONING, self.reasoning[thought : thought - cut]))
                thought -= cut
        return words


@dataclass(frozen=True, slots=True)
class WordsPart:
    """Some pieces of a step that is being answered, as a node shares them with the others."""

    head: WordsHead
    # The turn's number of the base.
    turn_base: int
    # The number of the first piece.
    first: int
    said: Said


@dataclass(frozen=True, slots=True)
class WordsEnd:
    """What the event that ends words records about them."""

    step: int
    # As in the words' head.
    base: int
    # How many pieces are stored.
    count: int = 0
    # How many may have been shown in all, if more than are stored: their numbers are not reused. 0: all are stored.
    void: int = 0
    # The words, where no entry of the journal has them.
    said: Said | None = None
    # The first and last number of these words in the session's log, from when each was an event.
    old: tuple[int, int] | None = None

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"step": self.step, "base": self.base, "count": self.count}
        if self.void:
            data["void"] = self.void
        if self.said is not None:
            data["said"] = [self.said.text, self.said.reasoning, self.said.cuts]
        if self.old is not None:
            data["old"] = self.old
        return data

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "WordsEnd":
        said, old = data.get("said"), data.get("old")
        return cls(
            data["step"],
            data["base"],
            data["count"],
            data.get("void", 0),
            None if said is None else Said(said[0], said[1], tuple(said[2])),
            None if old is None else (old[0], old[1]),
        )


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader of a session has read: up to this event, and up to this word after the base."""

    fact: int = 0
    base: int = 0
    word: int = 0


def pack_cuts(cuts: Iterable[int]) -> bytes:
    cuts = list(cuts)
    width = next(code for code, room in _WIDTHS if all(abs(cut) < room for cut in cuts))
    return width.encode() + array(width, cuts).tobytes()


def unpack_cuts(packed: bytes) -> tuple[int, ...]:
    return tuple(array(packed[:1].decode(), packed[1:])) if packed else ()
