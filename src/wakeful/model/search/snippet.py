"""The piece of a text around the first of the words that were looked for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wakeful.model.search.search import Wanted, normalized

_BEFORE, _AFTER = 60, 140


@dataclass(frozen=True, slots=True)
class Snippet:
    before: str
    hit: str
    after: str


def snippet_of(text: str, wanted: Wanted) -> Snippet:
    """With an empty hit where none is found: words may be written in a way that only their folding shows."""
    start, end = _first_hit(text, wanted)
    head = text[max(0, start - _BEFORE) : start]
    tail = text[end : end + _AFTER]
    if start > _BEFORE:
        # From the next word on.
        head = "… " + head.partition(" ")[2]
    if end + _AFTER < len(text):
        tail = tail.rpartition(" ")[0] + " …"
    return Snippet(_on_one_line(head), text[start:end], _on_one_line(tail))


def _first_hit(text: str, wanted: Wanted) -> tuple[int, int]:
    places: Sequence[int] = range(len(text) + 1)
    bare = text.lower()
    if not text.isascii():
        bare, places = _folded_with_places(text)
    # Whole words first, in the order in which they were given.
    patterns = [rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" for word in wanted.words]
    patterns += [rf"(?<![^\W_]){re.escape(word)}" for word in (*wanted.words, wanted.beginning) if word]
    # A script without spaces has its words in the middle of others.
    patterns += [re.escape(word) for word in wanted.words if not word.isascii()]
    for pattern in patterns:
        if found := re.search(pattern, bare):
            return places[found.start()], places[found.end()]
    return 0, 0


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """Character by character, and where in the text each of them comes from."""
    pieces, places = [], list[int]()
    for at, character in enumerate(text):
        piece = normalized(character)
        pieces.append(piece)
        places.extend([at] * len(piece))
    return "".join(pieces), [*places, len(text)]


def _on_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
