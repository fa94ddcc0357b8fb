"""Splits streamed Markdown into finished blocks and one unfinished block.

Every line is examined once. In doubt a block continues: two blocks painted as one look the same as two.
"""

import re

_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d{1,9}[.)]\s+)*(`{3,}(?=[^`]*$)|~{3,})")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")


class MarkdownStream:
    """A block is a paragraph, a list, a table, fenced code … It is finished when no later text can change it."""

    def __init__(self) -> None:
        self._block: list[str] = []
        # The last line, which is still incomplete.
        self._partial = ""
        # The opening fence; empty outside of code.
        self._fence = ""
        # What the block is and where it stands; its first line sets them.
        self._is_list = False
        self._is_after_blank = False

    @property
    def unfinished(self) -> str:
        return "\n".join([*self._block, self._partial])

    def feed(self, text: str) -> list[str]:
        """Add text; return the blocks that it finishes."""
        *lines, self._partial = (self._partial + text).split("\n")
        return [block for line in lines for block in self._take(line)]

    def finish(self) -> list[str]:
        """Return the last block, after the end of the text."""
        line, self._partial = self._partial, ""
        return [*self._take(line), *self._cut()]

    def _take(self, line: str) -> list[str]:
        if self._fence:
            return self._take_code(line)
        finished = self._cut() if self._begins_block(line) else []
        if not self._block:
            self._is_list = bool(_ITEM.match(line))
        self._block.append(line)
        self._is_after_blank = not line.strip()
        if fence := _FENCE.match(line):
            self._fence = fence[1]
        elif _HEADING.match(line) and not self._is_list:
            finished += self._cut()
        return finished

    def _take_code(self, line: str) -> list[str]:
        self._block.append(line)
        mark = line.strip()
        if set(mark) != {self._fence[0]} or len(mark) < len(self._fence):
            return []
        self._fence = ""
        self._is_after_blank = False
        return [] if self._is_list else self._cut()

    def _begins_block(self, line: str) -> bool:
        if not line.strip():
            return False
        if self._is_list:
            is_inside = line.startswith((" ", "\t")) or bool(_ITEM.match(line))
            return self._is_after_blank and not is_inside
        is_apart = bool(_HEADING.match(line) or _FENCE.match(line))
        return self._is_after_blank or is_apart

    def _cut(self) -> list[str]:
        block = "\n".join(self._block).strip("\n")
        self._block = []
        self._fence = ""
        return [block] if block.strip() else []
