"""Finds the text that an edit replaces: exactly, except that LF also matches CRLF. If it is not there, finds the lines
that come closest.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import islice
from typing import Any

from wakeful.tools.base import Unusable

# How many lines of a file that come close are shown, and how many positions of a text that is not unique are named.
_MOST_NEAR = 10
_MOST_NAMED = 20
# Comparing letter by letter is slow: the most distinct lines that are compared so, and the most letters of each.
_MOST_COMPARED = 2_000
_MOST_LETTERS = 200
# How alike a line must be to be worth showing.
_ALIKE = 0.6


def replaced(data: bytes, old: str, new: str, name: str, *, everywhere: bool) -> bytes:
    """Return the content of a file with one text replaced by another. Raises Unusable."""
    pattern = re.compile(_pattern_of(old))
    first = pattern.search(data)
    if first is None:
        raise Unusable(f"old_text was not found in {name}", "no_match", nearest=_nearest(data, old))
    if not everywhere:
        _require_one(data, pattern, first, name)
    if b"\r" not in data:
        # Without a piece of memory for each of what may be millions of places.
        return data.replace(old.encode(errors="replace"), new.encode(errors="replace"))
    return pattern.sub(lambda match: _with_line_ends_of(data, match.start(), new), data)


def _pattern_of(old: str) -> bytes:
    """Return a regular expression in which LF also matches CRLF."""
    lines = old.encode(errors="replace").split(b"\n")
    written = [b"\r?\n" if not line.endswith(b"\r") else b"\n" for line in lines[:-1]]
    ends = [*written, b""]
    return b"".join(re.escape(line) + end for line, end in zip(lines, ends, strict=True))


def _require_one(data: bytes, pattern: re.Pattern[bytes], first: re.Match[bytes], name: str) -> None:
    again = pattern.search(data, first.start() + 1)
    if again is None:
        return
    count = sum(1 for _ in pattern.finditer(data))
    # Occurrences that overlap are not unique, either.
    named = islice(pattern.finditer(data), _MOST_NAMED) if count > 1 else (first, again)
    numbers = [str(data.count(b"\n", 0, match.start()) + 1) for match in named]
    more = ", …" if count > _MOST_NAMED else ""
    raise Unusable(
        f"old_text occurs {max(count, 2)} times in {name}, at lines {', '.join(numbers)}{more}: give more of the text "
        "around it, or set replace_all",
        "not_unique",
    )


def _with_line_ends_of(data: bytes, position: int, new: str) -> bytes:
    """Return the new text with the line ends that the file has at this position."""
    text = new.encode(errors="replace")
    end = data.find(b"\n", position)
    if end < 0:
        end = data.rfind(b"\n", 0, position)
    return re.sub(rb"(?<!\r)\n", b"\r\n", text) if end > 0 and data[end - 1 : end] == b"\r" else text


def _nearest(data: bytes, old: str) -> list[dict[str, Any]]:
    lines = data.decode(errors="replace").split("\n")
    wanted = [line.strip() for line in old.split("\n")]
    best = _best_window(lines, wanted) or _alike(lines, max(wanted, key=len))
    return [{"line": number + 1, "text": lines[number].rstrip("\r")[:500]} for number in best]


def _best_window(lines: Sequence[str], wanted: Sequence[str]) -> Sequence[int]:
    """Return the lines around the place where most of the wanted lines stand as they are, but for space around them."""
    places = {line: number for number, line in enumerate(wanted) if line}
    starts: dict[int, int] = {}
    for number, line in enumerate(lines):
        place = places.get(line.strip())
        if place is not None:
            starts[number - place] = starts.get(number - place, 0) + 1
    if not starts:
        return ()
    start = max(starts, key=lambda begin: starts[begin])
    return range(max(start, 0), min(start + min(len(wanted), _MOST_NEAR), len(lines)))


def _alike(lines: Sequence[str], wanted: str) -> Sequence[int]:
    """Return the lines that are most like the wanted one, in their order."""
    matcher = SequenceMatcher(None, "", wanted[:_MOST_LETTERS], autojunk=False)
    first_at = {line: number for number, line in reversed(list(enumerate(lines))) if line.strip()}
    likely = nlargest(_MOST_COMPARED, first_at, key=lambda line: -abs(len(line.strip()) - len(wanted)))
    found: list[tuple[float, int]] = []
    for line in likely:
        matcher.set_seq1(line.strip()[:_MOST_LETTERS])
        if matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE:
            found.append((matcher.ratio(), first_at[line]))
    best = nlargest(_MOST_NEAR, (one for one in found if one[0] >= _ALIKE))
    return sorted(number for _, number in best)
