"""Cuts a long text into parts that each fit into one message: at a paragraph, else a line, else a space, else anywhere.

The cuts depend on what stands before them alone: while a text grows, a part that is full stays as it is.
"""

import re
from collections.abc import Iterator

from wakeful.gateway.messaging.text.form import TextForm

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$")
# Longer marks are no code that a person could read: they are cut like words.
_LONGEST_MARK = 20
_LONGEST_LANGUAGE = 30
# No rendering makes a text so much shorter that more than this has to be looked at.
_LOOKAHEAD = 4

# The marks of a code block that is open, and the line that opens it again.
_Fence = tuple[str, str]


def split(markdown: str, form: TextForm) -> list[str]:
    parts = []
    rest = markdown.strip("\n")
    while len(rest) > form.limit * _LOOKAHEAD or not form.fits(rest):
        part, rest = _cut(rest, form)
        parts.append(part)
    return [part for part in (*parts, rest) if part.strip()] or [""]


def _cut(text: str, form: TextForm) -> tuple[str, str]:
    """Return the first part and what is left, which is shorter; a code block that is cut is closed and opened again."""
    window = text[: form.limit * _LOOKAHEAD]
    at = next(_cuts(window, form))
    part = window[:at].rstrip()
    fence = _open_fence(part)
    if fence is None:
        return part, text[at:].lstrip("\n") if text[at : at + 1] == "\n" else text[at:].lstrip(" ")
    mark, opening = fence
    inner = text[at:].removeprefix("\n")
    # A block that is cut just before its end is closed by that end.
    return f"{part}\n{mark}", f"{opening}\n{inner}"


def _cuts(window: str, form: TextForm) -> Iterator[int]:
    """Yield positions at which the window may be cut, the best first. The caller takes the first."""
    longest = _longest_fit(window, form)
    head = window[: longest + 1]
    for ends in (_paragraph_ends(head), _occurrences(head, "\n"), _occurrences(head, " ")):
        yield from (at for at in ends if 0 < at <= longest and _is_good(window, at, form))
    yield longest


def _longest_fit(window: str, form: TextForm) -> int:
    """Return how many letters fit at most. What fits need not grow with every letter, but it does on the whole."""
    low, high = 1, min(form.limit + 1, len(window))
    # Most texts are about as long as what is rendered of them, and parsing more of a text takes longer than its length.
    while high < len(window) and _fits(window, high, form):
        low, high = high, min(2 * high, len(window))
    while low < high:
        middle = (low + high + 1) // 2
        if _fits(window, middle, form):
            low = middle
        else:
            high = middle - 1
    return low


def _is_good(window: str, at: int, form: TextForm) -> bool:
    """Return whether a cut leaves a part that fits and does not end where a code block has only just begun."""
    head = window[:at].rstrip()
    is_just_begun = _open_fence(head) is None and _open_fence(f"{head}\n") is not None
    return not is_just_begun and _fits(window, at, form)


def _fits(window: str, at: int, form: TextForm) -> bool:
    head = window[:at].rstrip()
    fence = _open_fence(head)
    return form.fits(head if fence is None else f"{head}\n{fence[0]}")


def _paragraph_ends(head: str) -> Iterator[int]:
    """Yield the positions of empty lines outside of code blocks, the last first."""
    ends = []
    at, opened = 0, None
    for line in head.split("\n"):
        opened = _fence_after(opened, line)
        at += len(line)
        if opened is None and head.startswith("\n\n", at):
            ends.append(at)
        at += 1
    return reversed(ends)


def _occurrences(head: str, mark: str) -> Iterator[int]:
    """Yield the positions of the mark, the last first."""
    at = head.rfind(mark)
    while at >= 0:
        yield at
        at = head.rfind(mark, 0, at)


def _open_fence(text: str) -> _Fence | None:
    """Return the code block that is open at the end of the text. One that the last line would open has no code yet."""
    *lines, last = text.split("\n")
    opened: _Fence | None = None
    for line in lines:
        opened = _fence_after(opened, line)
    return opened and _fence_after(opened, last)


def _fence_after(opened: _Fence | None, line: str) -> _Fence | None:
    found = _FENCE.match(line)
    if found is None:
        return opened
    mark, info = found[1], found[2].strip()
    if opened is None:
        return None if len(mark) > _LONGEST_MARK else (mark, mark + "".join(info.split()[:1])[:_LONGEST_LANGUAGE])
    return None if mark.startswith(opened[0]) and not info else opened
