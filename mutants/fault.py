"""A fault: one small change of one source file, such as a real bug would look like."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from mutants.kinds import conditions, owners, sql, statements, values
from mutants.kinds.kind import Kind
from mutants.source import Edit, Source

KINDS: list[Kind] = [*conditions.KINDS, *owners.KINDS, *statements.KINDS, *values.KINDS, *sql.KINDS]


@dataclass(frozen=True)
class Fault:
    source: Source
    kind: Kind
    edit: Edit
    # Tells equal changes of equal lines in one file apart.
    number: int = 0

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def line(self) -> int:
        return self.source.line_of(self.edit.start)

    @property
    def old(self) -> str:
        """The changed lines as they are."""
        start, end = self._whole_lines
        return _joined(self.source.content[start:end])

    @property
    def new(self) -> str:
        """The changed lines as the fault has them."""
        start, end = self._whole_lines
        content, edit = self.source.content, self.edit
        return _joined(content[start : edit.start] + edit.new + content[edit.end : end])

    @property
    def lines(self) -> range:
        return range(self.line, self.source.line_of(self.edit.end) + 1)

    @property
    def _whole_lines(self) -> tuple[int, int]:
        content = self.source.content
        return content.rfind(b"\n", 0, self.edit.start) + 1, (content + b"\n").index(b"\n", self.edit.end)

    @property
    def content(self) -> bytes:
        return self.source.changed(self.edit)

    @property
    def witnesses(self) -> range:
        """The lines whose running shows that a test gets there; none for what runs when its module is imported."""
        return self.source.statement_lines(self.edit.start)

    @cached_property
    def id(self) -> str:
        """The same after the file was changed elsewhere."""
        parts = (self.path, self.kind.name, self.old, self.new, str(self.number))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]

    @cached_property
    def is_one(self) -> bool:
        """Whether the file still compiles, and means something else."""
        try:
            changed = ast.parse(self.content)
            compile(changed, self.path, "exec")
        except (SyntaxError, ValueError):
            return False
        return ast.dump(changed) != ast.dump(self.source.tree)


def faults_in(source: Source) -> Iterator[Fault]:
    """All faults that can be planted in the source; those that `is_one` refuses are among them."""
    looks: Counter[tuple[str, str, str]] = Counter()
    for node in source.plantable():
        for kind in KINDS:
            for edit in kind.plant(source, node):
                if source.content[edit.start : edit.end] == edit.new:
                    continue
                fault = Fault(source, kind, edit)
                look = (kind.name, fault.old, fault.new)
                yield replace(fault, number=looks[look])
                looks[look] += 1


def _joined(lines: bytes) -> str:
    return " ⏎ ".join(line.strip() for line in lines.decode().splitlines())
