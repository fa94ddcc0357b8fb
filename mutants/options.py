"""What is asked for on the command line. What cannot be done is refused before anything runs."""

import argparse
from collections.abc import Sequence
from pathlib import Path


def read_options(root: Path, kept: Path, arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """`kept` is the folder of recordings and results."""
    parser = argparse.ArgumentParser(
        prog="scripts/mutants",
        description="Plants faults and tells who notices them. Run it once with --record before all else.",
    )
    parser.add_argument("paths", nargs="*", help="files and folders of src/wakeful; all of it by default")
    parser.add_argument("--changed-since", metavar="REV", help="only in lines that differ from this revision")
    parser.add_argument("--count", type=_whole, default=60, help="how many faults to plant in each room (%(default)s)")
    parser.add_argument("--seed", type=int, help="plant the faults of an earlier run that has printed this seed")
    parser.add_argument("--survivors", action="store_true", help="plant only what survived the run in --results")
    parser.add_argument("--results", type=Path, default=kept / "last.json", help="where results are kept")
    parser.add_argument("--processes", type=_whole, default=2, help="how many faults to try at a time (%(default)s)")
    parser.add_argument("--most-tests", type=_whole, default=60, help="how many tests try one fault (%(default)s)")
    parser.add_argument("--most-seconds", type=_seconds, default=40, help="and how long, as recorded (%(default)s)")
    parser.add_argument("--record", nargs="*", metavar="TESTS", help="record what tests run, all by default, and end")
    parser.add_argument("--record-processes", type=int, default=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.record is not None and (options.paths or options.changed_since is not None or options.survivors):
        parser.error("--record plants nothing: leave out what chooses faults, and run that afterwards.")
    if options.survivors and (options.paths or options.changed_since is not None):
        parser.error("--survivors plants all that survived: leave out the paths and --changed-since.")
    try:
        _require_file(options.results)
        options.record = options.record and [_tests_at(root, path) for path in options.record]
    except ValueError as error:
        parser.error(str(error))
    return options


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def _require_file(results: Path) -> None:
    if results.is_dir() or any(folder.is_file() for folder in results.parents):
        raise ValueError(f"--results: {results} cannot be a file: name one in a folder.")


def _tests_at(root: Path, path: str) -> str:
    """The path below the root, as recordings name it. What is recorded is replaced file by file."""
    place = (root / path).resolve()
    if not place.is_relative_to(root / "tests") or not place.exists():
        raise ValueError(f"--record: there is no {path} in tests: name a file or a folder there.")
    return place.relative_to(root).as_posix()
