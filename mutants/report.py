"""What came out: printed as it comes, summed up for each room, and kept for a later run."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from mutants.fault import Fault
from mutants.targets import room_of
from mutants.trying.worker import Judgement, Verdict

_NOTICED = {Verdict.CAUGHT, Verdict.HANGS}
_SHOWN_TESTS = 6


@dataclass(frozen=True, slots=True)
class Result:
    id: str
    path: str
    line: int
    kind: str
    old: str
    new: str
    verdict: Verdict
    by: str | None
    ran: list[str]

    @classmethod
    def of(cls, fault: Fault, judgement: Judgement) -> "Result":
        where = (fault.id, fault.path, fault.line, fault.kind.name, fault.old, fault.new)
        return cls(*where, judgement.verdict, judgement.by, judgement.ran)

    @property
    def is_noticed(self) -> bool:
        return self.verdict in _NOTICED


def told(result: Result) -> str:
    """One line for a fault that was noticed, and all that there is to know about one that was not."""
    where = f"{result.path}:{result.line}  {result.kind}"
    if result.is_noticed:
        return f"{result.verdict:<9}{where}" + (f"  by {result.by}" if result.by else "")
    return "\n".join(
        [
            f"SURVIVED {where}  [{result.id}]",
            f"    - {result.old}",
            f"    + {result.new}",
            f"    {_ran(result)}",
        ]
    )


def summary(results: list[Result]) -> str:
    faults = Counter(room_of(result.path) for result in results)
    noticed = Counter(room_of(result.path) for result in results if result.is_noticed)
    rows = [_row(room, noticed[room], faults[room]) for room in sorted(faults)]
    return "\n".join([*rows, _row("all", noticed.total(), faults.total())])


def save(file: Path, results: Iterable[Result]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([asdict(result) for result in results], indent=1) + "\n")


def load(file: Path) -> list[Result]:
    """Raises ValueError if there are no results, or none that can be read."""
    if not file.exists():
        raise ValueError(f"There are no results in {file} yet: run scripts/mutants without --survivors first.")
    try:
        return [Result(**{**row, "verdict": Verdict(row["verdict"])}) for row in json.loads(file.read_text())]
    except (ValueError, TypeError, KeyError):
        raise ValueError(
            f"{file} does not hold results: name another file with --results, or run without --survivors first."
        ) from None


def _ran(result: Result) -> str:
    if result.verdict is Verdict.UNSEEN:
        return "no recorded test runs this line"
    more = len(result.ran) - _SHOWN_TESTS
    return f"{len(result.ran)} tests ran: {', '.join(result.ran[:_SHOWN_TESTS])}" + (
        f" and {more} more" if more > 0 else ""
    )


def _row(room: str, noticed: int, faults: int) -> str:
    return f"{room:<12}{noticed:>4} of {faults:>4} caught{noticed / faults:>7.0%}" if faults else f"{room:<12}no faults"
