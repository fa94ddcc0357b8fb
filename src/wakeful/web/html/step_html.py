"""Renders an answer that is still being written, as patches.

A patch keeps the first `start` blocks and replaces the rest. All blocks but the last two are settled: later text rarely
changes them, so they are not parsed again. Where it does, as with a reference link that is defined later, the final
patch corrects it: it comes from rendering the whole text.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from wakeful.web.html.effort import split_by_effort
from wakeful.web.html.markdown import Env, plain_block, render_blocks, render_blocks_with_lines

_LINE_END = re.compile("\r\n?")

# How many blocks at the end later text may still change.
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
        # The settled blocks. The text after them is `_open`, and was last rendered as `_shown`.
        self._settled: list[str] = []
        self._open = ""
        self._shown: list[str] = []
        self._env: Env = {}
        self._is_changed = False

    @property
    def is_changed(self) -> bool:
        """Return whether text was added since the last patch."""
        return self._is_changed

    @property
    def size(self) -> int:
        """Return the number of characters so far."""
        return self._size

    def add(self, text: str) -> None:
        self._text.append(text)
        self._size += len(text)
        self._open += text
        self._is_changed = True

    def patch(self) -> Patch:
        """Return the changes since the last patch."""
        before, start = self._shown, len(self._settled)
        self._shown = self._render_open()
        self._is_changed = False
        same = _common(before, [*self._settled[start:], *self._shown])
        return Patch(start + same, [*self._settled[start:], *self._shown][same:])

    def final(self) -> Patch:
        """Return the changes up to the exact render of the whole text, which is complete."""
        before = [*self._settled, *self._shown]
        blocks = list(_whole("".join(self._text)))
        self._settled, self._open, self._shown, self._is_changed = blocks, "", [], False
        start = _common(before, blocks)
        return Patch(start, blocks[start:], is_final=True)

    def _render_open(self) -> list[str]:
        """Settle what can no longer change, and return the blocks that can."""
        # The parser's line numbers count \r and \r\n too, so make all line ends \n. A last \r may be half of \r\n.
        end = self._open[-1:] if self._open.endswith("\r") else ""
        self._open = _LINE_END.sub("\n", self._open.removesuffix("\r")) + end
        written, rest = split_by_effort(self._open)
        numbered = render_blocks_with_lines(written, self._env)
        if not rest and len(numbered) > _OPEN_BLOCKS:
            numbered = self._settle(numbered)
        blocks = [html for _, html in numbered]
        return [*blocks, plain_block(rest)] if rest else blocks

    def _settle(self, numbered: list[tuple[int, str]]) -> list[tuple[int, str]]:
        settled, still_open = numbered[:-_OPEN_BLOCKS], numbered[-_OPEN_BLOCKS:]
        self._settled += [html for _, html in settled]
        first_line = still_open[0][0]
        lines = self._open.split("\n")
        self._open = "\n".join(lines[first_line:])
        return still_open


@lru_cache(maxsize=64)
def _whole(text: str) -> tuple[str, ...]:
    # Cached because several readers follow the same answer.
    return tuple(render_blocks(text))


def _common(before: list[str], now: list[str]) -> int:
    """Return how many blocks at the start are equal."""
    count = 0
    for old, new in zip(before, now, strict=False):
        if old != new:
            break
        count += 1
    return count
