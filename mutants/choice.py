"""Chooses the tests that try a fault: those that run its line, the most telling of them, within a budget."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from mutants.fault import Fault
from mutants.seen import Seen, Witness
from mutants.targets import PACKAGE, room_of

# So many tests of one file come before a test of another file that takes twice as long.
_OF_ONE_FILE = 8
# Below it, all are equally quick. Those beside the chosen ones may take this part of the seconds.
_QUICK_SECONDS = 0.05
_BESIDE = 0.25
# A test that is named after the source comes before one that takes half as long, so many times halved.
_AS_NAMED = 4
# Shorter words of a name tell nothing.
_WHOLE_WORD = 4


@dataclass(frozen=True, slots=True)
class Budget:
    tests: int
    seconds: float


def tests_for(fault: Fault, seen: Seen, root: Path) -> list[Witness]:
    """All tests that can see the fault."""
    source = fault.source
    lines = set(fault.witnesses) or source.users_of(fault.edit.start)
    tests = seen.tests_at(fault.path, lines, source.content) if lines else []
    if tests or fault.witnesses:
        return tests
    # What runs at the import of a module is seen by those who use the module, or else by those who import it.
    return seen.tests_at(fault.path, source.function_lines, source.content) or _tests_of_importers(fault, seen, root)


def choose(tests: list[Witness], path: str, budget: Budget) -> list[Witness]:
    """The best within the budget, but one at least, and what else is quick in their files, such as the other cases of a
    table. Those of one file come together, and the quickest files first.
    """
    ranked = _ranked(tests, Path(path))
    chosen = _affordable(ranked[: budget.tests], budget.seconds) or ranked[:1]
    files = {test.file for test in chosen}
    quick = [test for test in ranked if test.file in files and test.seconds <= _QUICK_SECONDS]
    chosen += _affordable([test for test in quick if test not in set(chosen)], budget.seconds * _BESIDE)
    slowest: dict[str, float] = defaultdict(float)
    for test in chosen:
        slowest[test.file] = max(slowest[test.file], test.seconds)
    return sorted(chosen, key=lambda test: (slowest[test.file], test.file, test.seconds, test.name))


def _affordable(tests: list[Witness], seconds: float) -> list[Witness]:
    chosen: list[Witness] = []
    for test in tests:
        if test.seconds <= seconds:
            chosen.append(test)
            seconds -= test.seconds
    return chosen


def _ranked(tests: list[Witness], source: Path) -> list[Witness]:
    """By turns the next quick one and the next that runs what few others run in this source."""
    return list(dict.fromkeys(chain.from_iterable(zip(_quickest(tests, source), _most_special(tests), strict=True))))


def _most_special(tests: list[Witness]) -> list[Witness]:
    runs = Counter(line for test in tests for line in _bits(test.lines))
    special = {test: sum(1 / runs[line] for line in _bits(test.lines)) for test in tests}
    return sorted(tests, key=lambda test: (-special[test], test.seconds, test.name))


def _bits(number: int) -> Iterator[int]:
    return (position for position, bit in enumerate(reversed(f"{number:b}")) if bit == "1")


def _quickest(tests: list[Witness], source: Path) -> list[Witness]:
    by_file: dict[str, list[Witness]] = defaultdict(list)
    for test in sorted(tests, key=lambda test: (round(test.seconds, 1), test.breadth, test.name)):
        by_file[test.file].append(test)
    ranks = {
        test: _doublings(test.seconds) + place / _OF_ONE_FILE + _distance(Path(file), source)
        for file, of_file in by_file.items()
        for place, test in enumerate(of_file)
    }
    return sorted(ranks, key=lambda test: (ranks[test], test.breadth, test.name))


def _distance(file: Path, source: Path) -> int:
    """The tests that are named after the source or its folder come first, as if they were quicker, then those of its
    room.
    """
    names = [*source.stem.split("_"), source.parent.name]
    if any(word.startswith(name) for word in file.stem.split("_") for name in names if len(name) >= _WHOLE_WORD):
        return 0
    return _AS_NAMED if room_of(source.as_posix()) in file.parts else _AS_NAMED + 1


def _doublings(seconds: float) -> float:
    return max(0.0, math.log2(seconds / _QUICK_SECONDS)) if seconds else 0.0


def _tests_of_importers(fault: Fault, seen: Seen, root: Path) -> list[Witness]:
    module = ".".join(Path(fault.path).with_suffix("").parts[1:])
    found: dict[str, Witness] = {}
    for file in sorted((root / PACKAGE).rglob("*.py")):
        content = file.read_bytes()
        if f"from {module} import".encode() in content:
            path = file.relative_to(root).as_posix()
            lines = set(range(1, content.count(b"\n") + 2))
            found |= {test.name: test for test in seen.tests_at(path, lines, content)}
    return list(found.values())
