"""Cuts a long text into parts that each fit into one message: at a paragraph, else a line, else a space, else anywhere.

The cuts depend on what stands before them alone: while a text grows, a part that is full stays as it is.
"""

import re
from collections.abc import Iterator

from wakeful.gateway.messaging.text.form import TextForm

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$")
# No rendering makes a text so much shorter that more than this has to be looked at.
_LOOKAHEAD = 4


def split(markdown: str, form: TextForm) -> list[str]:
    parts = []
    rest = markdown.strip("\n")
    while not form.fits(rest):
        part, rest = _cut(rest, form)
        parts.append(part)
    return [*parts, rest] if rest or not parts else parts


def _cut(text: str, form: TextForm) -> tuple[str, str]:
    """Return the first part and what is left; a code block that is cut is closed and opened again."""
    window = text[: form.limit * _LOOKAHEAD]
    for at in _cuts(window, form):
        fence = _open_fence(window[:at])
        part = window[:at].rstrip()
        if fence is None:
            return part, text[at:].lstrip("\n") if text[at : at + 1] == "\n" else text[at:].lstrip(" ")
        mark, opening = fence
        inner = text[at:].removeprefix("\n")
        # A block that is cut just before its end is closed by that end.
        return f"{part}\n{mark}", f"{opening}\n{inner}"
    raise AssertionError("one letter fits into every message")


def _cuts(window: str, form: TextForm) -> Iterator[int]:
    """Yield positions at which the window may be cut, the best first. The caller takes the first."""
    longest = _longest_fit(window, form)
    head = window[: longest + 1]
    yield from (at for at in _paragraph_ends(head) if 0 < at <= longest and _fits(window, at, form))
    yield from (at for at in _occurrences(head, "\n") if 0 < at <= longest and _fits(window, at, form))
    yield from (at for at in _occurrences(head, " ") if 0 < at <= longest and _fits(window, at, form))
    yield longest


def _longest_fit(window: str, form: TextForm) -> int:
    """Return how many letters fit at most. What fits need not grow with every letter, but it does on the whole."""
    low, high = 1, len(window)
    while low < high:
        middle = (low + high + 1) // 2
        if _fits(window, middle, form):
            low = middle
        else:
            high = middle - 1
    return low


def _fits(window: str, at: int, form: TextForm) -> bool:
    head = window[:at].rstrip()
    fence = _open_fence(head)
    return form.fits(head if fence is None else f"{head}\n{fence[0]}")


def _paragraph_ends(head: str) -> Iterator[int]:
    for at in _occurrences(head, "\n\n"):
        if _open_fence(head[:at]) is None:
            yield at


def _occurrences(head: str, mark: str) -> Iterator[int]:
    """Yield the positions of the mark, the last first."""
    at = head.rfind(mark)
    while at >= 0:
        yield at
        at = head.rfind(mark, 0, at)


def _open_fence(text: str) -> tuple[str, str] | None:
    """Return the marks of the code block that is open at the end of the text, and the line that opened it."""
    opened: tuple[str, str] | None = None
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found is None:
            continue
        if opened is None:
            opened = found[1], line.strip()
        elif found[1].startswith(opened[0]) and not found[2].strip():
            opened = None
    return opened
