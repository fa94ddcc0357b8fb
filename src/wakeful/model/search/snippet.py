"""The part of a text around the first match of a query."""

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
    """Return the text around the first match. Its hit is empty if none is found: some matches only show in the
    normalized text.
    """
    start, end = _first_hit(text, wanted)
    head = text[max(0, start - _BEFORE) : start]
    tail = text[end : end + _AFTER]
    if start > _BEFORE:
        # Start with a whole word.
        head = "… " + head.partition(" ")[2]
    if end + _AFTER < len(text):
        tail = tail.rpartition(" ")[0] + " …"
    return Snippet(_on_one_line(head), text[start:end], _on_one_line(tail))


def _first_hit(text: str, wanted: Wanted) -> tuple[int, int]:
    positions: Sequence[int] = range(len(text) + 1)
    bare = text.lower()
    if not text.isascii():
        bare, positions = _normalized_with_positions(text)
    # Whole words first, in the order of the query.
    patterns = [rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" for word in wanted.words]
    patterns += [rf"(?<![^\W_]){re.escape(word)}" for word in (*wanted.words, wanted.beginning) if word]
    # In a script without spaces a word may begin anywhere.
    patterns += [re.escape(word) for word in wanted.words if not word.isascii()]
    for pattern in patterns:
        if found := re.search(pattern, bare):
            return positions[found.start()], positions[found.end()]
    return 0, 0


def _normalized_with_positions(text: str) -> tuple[str, list[int]]:
    """Normalize character by character, and return also each one's position in the text."""
    pieces, positions = [], list[int]()
    for at, character in enumerate(text):
        piece = normalized(character)
        pieces.append(piece)
        positions.extend([at] * len(piece))
    return "".join(pieces), [*positions, len(text)]


def _on_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
