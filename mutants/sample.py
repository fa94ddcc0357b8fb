"""Chooses which of the many possible faults are planted: of all kinds, and all over the files."""

import random
import re
from collections import Counter
from pathlib import Path

from mutants.fault import Fault, faults_in
from mutants.source import Source
from mutants.targets import Target

_HARMLESS = re.compile(r"\[?([0-9a-f]{10})\]?\s+\S")


def faults_at(root: Path, target: Target) -> list[Fault]:
    """All that can be planted in the target's lines. Raises ValueError if its file does not compile."""
    try:
        source = Source(target.path, (root / target.path).read_bytes())
    except SyntaxError as error:
        raise ValueError(f"{target.path}:{error.lineno} does not compile: mend it first.") from None
    return [fault for fault in faults_in(source) if target.lines is None or target.lines.intersection(fault.lines)]


def sample(faults: list[Fault], count: int, seed: str, harmless: set[str]) -> list[Fault]:
    """The same for the same source and seed. A kind or a file comes again only after the others had their turn."""
    waiting = faults.copy()
    random.Random(seed).shuffle(waiting)
    chosen: list[Fault] = []
    kinds: Counter[str] = Counter()
    files: Counter[str] = Counter()
    while waiting and len(chosen) < count:
        place = min(range(len(waiting)), key=lambda place: _turn(waiting[place], kinds, files))
        fault = waiting.pop(place)
        if not fault.is_one or fault.id in harmless:
            continue
        chosen.append(fault)
        kinds[fault.kind.name] += 1
        files[fault.path] += 1
    return chosen


def _turn(fault: Fault, kinds: Counter[str], files: Counter[str]) -> float:
    return kinds[fault.kind.name] / fault.kind.weight + files[fault.path]


def harmless_faults(file: Path) -> set[str]:
    """The ids of changes that are no faults, which someone has looked at. Raises ValueError for a line without one."""
    ids = set()
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if not (found := _HARMLESS.match(line)):
            raise ValueError(f"{file.name}:{number} is not an id, as in [0123456789], and a reason: write both.")
        ids.add(found[1])
    return ids
