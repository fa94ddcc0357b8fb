"""Estimates how much of a text can be rendered in about a tenth of a second; the rest is shown as plain text.

The parser's time depends much more on the marks in a text than on its length. The weights are microseconds, measured on
inputs that consist of one mark only. The estimate is made from the text alone, so a text always renders the same.
"""

import re

_BUDGET = 100_000
_PER_CHARACTER = 1
_PER_LINE = 25
_MARKS_BY_WEIGHT = {30: "[", 12: "|", 8: "*_~$", 5: "<&", 4: "]!", 3: "`\\>:"}
_WEIGHTS = {mark: weight for weight, marks in _MARKS_BY_WEIGHT.items() for mark in marks}
_MARKS = re.compile("[" + re.escape("".join(_WEIGHTS)) + "]")
_CODE_PER_CHARACTER = 0.5
_CODE_PER_LINE = 3
_DEAREST = _PER_LINE + max(_WEIGHTS.values())

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# A line of these characters makes a table with a column per bar; every later line of it gets all columns.
_DELIMITERS = frozenset("|:->")


def split_by_effort(text: str) -> tuple[str, str]:
    """Return the part to parse and the rest, cut between two lines."""
    if len(text) * _DEAREST <= _BUDGET:
        return text, ""
    spent, position, meter = 0.0, 0, _Meter()
    for line in text.splitlines(keepends=True):
        spent += meter.cost(line)
        if spent > _BUDGET:
            return text[:position], text[position:]
        position += len(line)
    return text, ""


class _Meter:
    def __init__(self) -> None:
        self._fence = ""
        self._columns = 0

    def cost(self, line: str) -> float:
        if self._fence:
            if line.strip().startswith(self._fence):
                self._fence = ""
            return _CODE_PER_LINE + _CODE_PER_CHARACTER * len(line)
        fence = _FENCE.match(line)
        if fence is not None:
            self._fence = fence[1]
        self._count_columns(line)
        marks = sum(_WEIGHTS[mark] for mark in _MARKS.findall(line))
        return _PER_LINE * (1 + self._columns) + _PER_CHARACTER * len(line) + marks

    def _count_columns(self, line: str) -> None:
        if not line.strip():
            self._columns = 0
        elif _DELIMITERS.issuperset("".join(line.split())):
            self._columns = max(self._columns, line.count("|"))
