"""The HTML of an answer that is still being written, as patches.

A patch says: the answer is now its first `start` blocks as they were, and then these. All blocks but the last two are
settled: nothing that follows changes them, so they are not parsed again. The one thing that does, a reference link that
is defined later, and every doubt besides, is mended at the end by the exact render of the whole.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from wakeful.web.html.effort import split_by_effort
from wakeful.web.html.markdown import Env, plain_block, render_blocks, render_placed_blocks

_LINE_END = re.compile("\r\n?")

# Blocks that may still change with what follows.
_OPEN_BLOCKS = 2


@dataclass(frozen=True, slots=True)
class Patch:
    start: int
    blocks: list[str]
    is_final: bool = False


class StepHtml:
    def __init__(self) -> None:
        self._text: list[str] = []
        self._size = 0
        # Settled blocks; what comes after them is `_open` text, last shown as `_shown`.
        self._settled: list[str] = []
        self._open = ""
        self._shown: list[str] = []
        self._env: Env = {}
        self._is_changed = False

    @property
    def is_changed(self) -> bool:
        """Whether text has come since the last patch."""
        return self._is_changed

    @property
    def size(self) -> int:
        """Characters so far."""
        return self._size

    def add(self, text: str) -> None:
        self._text.append(text)
        self._size += len(text)
        self._open += text
        self._is_changed = True

    def patch(self) -> Patch:
        """What has changed since the last one."""
        before, start = self._shown, len(self._settled)
        self._shown = self._render_open()
        self._is_changed = False
        same = _common(before, [*self._settled[start:], *self._shown])
        return Patch(start + same, [*self._settled[start:], *self._shown][same:])

    def final(self) -> Patch:
        """There is no more to come: the exact render."""
        before = [*self._settled, *self._shown]
        blocks = list(_whole("".join(self._text)))
        self._settled, self._open, self._shown, self._is_changed = blocks, "", [], False
        start = _common(before, blocks)
        return Patch(start, blocks[start:], is_final=True)

    def _render_open(self) -> list[str]:
        """Settle what can no longer change, and return the blocks that can."""
        # The parser counts every kind of line end, so there must be one kind. A last \r may be half of one.
        end = self._open[-1:] if self._open.endswith("\r") else ""
        self._open = _LINE_END.sub("\n", self._open.removesuffix("\r")) + end
        written, rest = split_by_effort(self._open)
        placed = render_placed_blocks(written, self._env)
        if not rest and len(placed) > _OPEN_BLOCKS:
            placed = self._settle(placed)
        blocks = [html for _, html in placed]
        return [*blocks, plain_block(rest)] if rest else blocks

    def _settle(self, placed: list[tuple[int, str]]) -> list[tuple[int, str]]:
        settled, still_open = placed[:-_OPEN_BLOCKS], placed[-_OPEN_BLOCKS:]
        self._settled += [html for _, html in settled]
        first_line = still_open[0][0]
        lines = self._open.split("\n")
        self._open = "\n".join(lines[first_line:])
        return still_open


@lru_cache(maxsize=64)
def _whole(text: str) -> tuple[str, ...]:
    """Several readers follow the same answer."""
    return tuple(render_blocks(text))


def _common(before: list[str], now: list[str]) -> int:
    """How many blocks at the start are the same."""
    count = 0
    for old, new in zip(before, now, strict=False):
        if old != new:
            break
        count += 1
    return count
