"""Plants faults in the source, one at a time, and tells which of them the tests notice.

scripts/mutants [PATHS] [--changed-since REV] [--count N] [--seed S]
"""

import argparse
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from mutants.choice import Budget, choose, tests_for
from mutants.fault import Fault
from mutants.options import read_options
from mutants.recording.recording import record
from mutants.report import Result, load, save, summary, told
from mutants.sample import faults_at, harmless_faults, sample
from mutants.seen import Seen
from mutants.targets import Target, targets
from mutants.trying.crew import crew
from mutants.trying.run import TOOLS
from mutants.trying.worker import Judgement, Trial, Verdict

ROOT = Path(__file__).parent.parent
_KEPT = ROOT / ".mutants"
# Recording costs much there, and little of what they alone run is Python.
_UNRECORDED = {"browser"}
# A test, and a run of tests, may take this many times as long as when they were recorded, and so much on top.
_SLOWER, _ON_TOP_SECONDS = 5.0, 20.0


def main(arguments: Sequence[str] | None = None) -> None:
    # As Ctrl-C does, also where a shell has a command in the background ignore that: keep the results, end the workers.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = read_options(ROOT, _KEPT, arguments)
    try:
        with closing(Seen(_KEPT / "seen.sqlite", ROOT)) as seen:
            if options.record is not None:
                _record(seen, options.record or _recorded_by_default(), options.record_processes)
            else:
                _plant(seen, options)
    except ValueError as error:
        sys.exit(str(error))
    except sqlite3.DatabaseError as error:
        sys.exit(
            f"The recording in {_KEPT / 'seen.sqlite'} cannot be used: {error}. "
            "If no other run uses it, delete it and run scripts/mutants --record."
        )
    except KeyboardInterrupt:
        sys.exit(130)


def _recorded_by_default() -> list[str]:
    tests = (ROOT / "tests").iterdir()
    return sorted(f"tests/{place.name}" for place in tests if place.name not in _UNRECORDED and _has_tests(place))


def _has_tests(place: Path) -> bool:
    return any(place.rglob("test_*.py")) if place.is_dir() else place.match("test_*.py")


def _record(seen: Seen, tests: list[str], processes: int) -> None:
    started = time.monotonic()
    recorded = record(ROOT, seen, tests, processes)
    print(f"Recorded {recorded} tests in {time.monotonic() - started:.0f} s.", flush=True)


def _plant(seen: Seen, options: argparse.Namespace) -> None:
    if seen.is_empty:
        raise ValueError(
            "Nothing is known of the tests yet: run scripts/mutants --record, which runs all of them once."
        )
    harmless = harmless_faults(ROOT / "mutants" / "harmless.txt")
    earlier = [result for result in load(options.results) if result.id not in harmless] if options.survivors else []
    faults = _survivors(earlier) if options.survivors else _sampled(options, harmless)
    if not faults:
        print(_why_none(options), flush=True)
        return
    if changed := seen.changed_test_files():
        print(f"Recording {len(changed)} changed files of tests", flush=True)
        record(ROOT, seen, changed, processes=0)
    results = {result.id: result for result in earlier}
    try:
        for result in _tried(faults, seen, options):
            results[result.id] = result
            print(told(result), flush=True)
    finally:
        if results:
            save(options.results, results.values())
    print(f"\n{summary(list(results.values()))}", flush=True)


def _why_none(options: argparse.Namespace) -> str:
    if options.survivors:
        return f"Nothing that survived is left in {options.results}: choose new faults without --survivors."
    where = "there" if options.changed_since is None else f"in lines that differ from {options.changed_since}"
    return f"There is nothing to plant {where}: no fault is possible, or mutants/harmless.txt names all of them."


def _sampled(options: argparse.Namespace, harmless: set[str]) -> list[Fault]:
    seed = random.randrange(1_000_000) if options.seed is None else options.seed
    rooms: dict[str, list[Fault]] = {}
    for target in targets(ROOT, options.paths, options.changed_since):
        rooms.setdefault(target.room, []).extend(faults_at(ROOT, target))
    chosen = [
        fault for room, faults in rooms.items() for fault in sample(faults, options.count, f"{seed} {room}", harmless)
    ]
    print(f"{len(chosen)} faults of {sum(map(len, rooms.values()))} possible ones, seed {seed}", flush=True)
    return chosen


def _survivors(earlier: list[Result]) -> list[Fault]:
    """What survived, as far as its line is still there."""
    wanted = {result.id: result for result in earlier if not result.is_noticed}
    paths = sorted({result.path for result in wanted.values() if (ROOT / result.path).exists()})
    faults = [fault for path in paths for fault in faults_at(ROOT, Target(path)) if fault.id in wanted]
    for lost in wanted.keys() - {fault.id for fault in faults}:
        print(f"{wanted[lost].path}: the line of {lost} has changed since", flush=True)
    return faults


def _tried(faults: list[Fault], seen: Seen, options: argparse.Namespace) -> Iterator[Result]:
    known = {fault.id: fault for fault in faults}
    trials = [_trial(fault, seen, Budget(options.most_tests, options.most_seconds)) for fault in faults]
    for trial in trials:
        if not trial.tests:
            yield Result.of(known[trial.fault_id], Judgement(Verdict.UNSEEN))
    with (
        tempfile.TemporaryDirectory(prefix="wakeful-mutants-") as folder,
        crew(options.processes, ROOT, Path(folder), TOOLS) as workers,
    ):
        for trial, judgement in workers.judge([trial for trial in trials if trial.tests]):
            yield Result.of(known[trial.fault_id], judgement)


def _trial(fault: Fault, seen: Seen, budget: Budget) -> Trial:
    tests = choose(tests_for(fault, seen, ROOT), fault.path, budget)
    seconds = [test.seconds for test in tests] or [0.0]
    each, patience = (_SLOWER * recorded + _ON_TOP_SECONDS for recorded in (max(seconds), sum(seconds)))
    return Trial(fault.id, fault.path, fault.content, [test.name for test in tests], each, patience)


if __name__ == "__main__":
    main()
