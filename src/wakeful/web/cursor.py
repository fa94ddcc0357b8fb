"""Cursors: where in a log a reader stands, as the text that stands in a frame's `id`.

`N` is after the event N; `N.k` is after the k-th of the frames that the event N makes; the last of them is `N` again.
Several sessions on one stream have one each: `a:12,b:40.1`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

# Longer ones are no numbers that any log gives out.
_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Cursor:
    # Every event up to this one has been seen whole.
    after: int
    # Of the next one, so many frames.
    frames: int = 0

    def __str__(self) -> str:
        return f"{self.after + 1}.{self.frames}" if self.frames else str(self.after)


START = Cursor(0)


def parse_number(text: str) -> int | None:
    is_number = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    return int(text) if is_number else None


def parse_cursor(text: str, last: int) -> Cursor:
    """What is not understood, or lies beyond the end of the log, is the start: never a silent skip."""
    first, dot, second = text.partition(".")
    number = parse_number(first)
    frames = parse_number(second) if dot else 0
    if number is None or frames is None or number > last:
        return START
    if not dot:
        return Cursor(number)
    return Cursor(number - 1, frames) if number and frames else START


def parse_cursors(text: str, lasts: Mapping[str, int]) -> dict[str, Cursor]:
    """One cursor for each session that the text names; when it is not understood at all, the start for every one."""
    parts = [part.rpartition(":") for part in text.split(",")]
    if not all(name and colon for name, colon, _ in parts):
        return dict.fromkeys(lasts, START)
    return {name: parse_cursor(rest, lasts[name]) for name, _, rest in parts if name in lasts}
