"""Faults in a tiny project: recorded, planted, and judged by its tests."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mutants.recording.recording import record
from mutants.seen import Look, Seen
from mutants.source import Source
from mutants.trying.crew import crew
from mutants.trying.worker import Judgement, Trial, Verdict
from tests.mutants.project import SOURCE, make_project

PATH = "src/wakeful/sums.py"
ADDING, LIMITED = "tests/test_sums.py::test_adding", "tests/test_sums.py::test_the_limit[20]"
STARTED = "tests/test_sums.py::test_a_process_that_is_killed"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The other plugins take longer to import than all else here.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "pytest_rerunfailures,pytest_timeout")
    return make_project(tmp_path / "project")


@pytest.fixture
def seen(project: Path, tmp_path: Path) -> Iterator[Seen]:
    with closing(Seen(tmp_path / "seen.sqlite", project)) as seen:
        yield seen


def test_a_recording_tells_which_tests_run_a_line_also_in_a_process_that_is_killed(seen: Seen, project: Path) -> None:
    record(project, seen, ["tests"], processes=0)

    def at(line: str) -> set[str]:
        number = SOURCE.splitlines().index(line) + 1
        return {test.name.partition("::")[2] for test in seen.tests_at(PATH, {number}, SOURCE.encode())}

    assert at("    return total") == {"test_adding", "test_a_process_that_is_killed"}
    assert at('        raise ValueError("too much")') == {"test_the_limit[20]", "test_the_limit[30]"}
    assert at("    return 1") == set()


def test_a_recording_that_ends_early_leaves_what_was_known(seen: Seen, project: Path) -> None:
    seen.replace(["tests"], {ADDING: 1}, [Look(ADDING, PATH, SOURCE.encode(), 0b100000)])
    (project / "tests" / "test_sums.py").write_text("import nowhere\n")

    with pytest.raises(ValueError, match="Nothing was recorded, because pytest ended early: mend"):
        record(project, seen, ["tests"], processes=0)

    assert [test.name for test in seen.tests_at(PATH, {5}, SOURCE.encode())] == [ADDING]


def test_a_fault_is_caught_by_a_test_that_fails_only_with_it(project: Path, tmp_path: Path) -> None:
    (project / "tests" / "test_broken.py").write_text("def test_broken():\n    assert False\n")
    trials = [
        trial("first + second", "first - second", [ADDING, LIMITED]),
        trial("first + second", "first - second", [STARTED]),
        trial("total > LIMIT", "total >= LIMIT", [ADDING, LIMITED]),
        trial("first + second", "first - second", ["tests/test_broken.py::test_broken", ADDING]),
        trial("def add", "def add(:", [ADDING]),
        trial("    total = first", "    import os; os._exit(0)\n    total = first", [ADDING]),
    ]
    (tmp_path / "copies").mkdir()

    with crew(1, project, tmp_path / "copies", tools=[]) as workers:
        judgements = [judgement for _, judgement in workers.judge(trials)]

    assert judgements == [
        Judgement(Verdict.CAUGHT, [ADDING], ADDING),
        Judgement(Verdict.CAUGHT, [STARTED], STARTED),
        Judgement(Verdict.SURVIVED, [ADDING, LIMITED]),
        Judgement(Verdict.CAUGHT, [ADDING], ADDING),
        Judgement(Verdict.CAUGHT, [], "tests/test_sums.py"),
        Judgement(Verdict.CAUGHT, [], ADDING),
    ]
    assert (project / PATH).read_text() == SOURCE


def test_a_fault_hangs_only_if_its_tests_are_in_time_without_it(project: Path, tmp_path: Path) -> None:
    forever = "import threading; threading.Event().wait()"
    (project / "tests" / "test_slow.py").write_text(f"def test_slow():\n    {forever}\n")
    trials = [
        trial("    total = first", f"    {forever}\n    total = first", [ADDING], patience=4),
        trial("first + second", "first - second", ["tests/test_slow.py::test_slow"], patience=1),
    ]
    (tmp_path / "copies").mkdir()

    with crew(1, project, tmp_path / "copies", tools=[]) as workers:
        verdicts = [judgement.verdict for _, judgement in workers.judge(trials)]

    assert verdicts == [Verdict.HANGS, Verdict.SURVIVED]


def test_what_a_module_names_is_used_where_its_name_is() -> None:
    source = Source(PATH, b"A = 1\nB = A + 1\n\n\ndef f():\n    return B\n\n\ndef g():\n    return C\n")

    assert source.users_of(0) == {6}


def trial(old: str, new: str, tests: list[str], patience: float = 30) -> Trial:
    return Trial("id", PATH, SOURCE.replace(old, new).encode(), tests, 30, patience)
