"""What is asked for on the command line: refused in words that say what to do, and nothing of earlier runs is lost."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from mutants import __main__ as program
from mutants.options import read_options
from mutants.report import Result, save
from mutants.sample import faults_at, harmless_faults
from mutants.seen import Look, Seen
from mutants.targets import Target
from mutants.trying.worker import Judgement, Verdict
from tests.mutants.project import SOURCE, make_project

SUMS = "src/wakeful/sums.py"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = make_project(tmp_path)
    (root / "mutants").mkdir()
    (root / "mutants" / "harmless.txt").touch()
    monkeypatch.chdir(root)
    monkeypatch.setattr(program, "ROOT", root)
    monkeypatch.setattr(program, "_KEPT", root / ".mutants")
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    return root


@pytest.fixture
def recorded(project: Path) -> Path:
    test = "tests/test_sums.py::test_adding"
    with closing(Seen(project / ".mutants" / "seen.sqlite", project)) as seen:
        seen.replace(["tests"], {test: 0.1}, [Look(test, SUMS, SOURCE.encode(), 0b110000)])
    return project


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--count", "0"], "--count: '0' is not a whole number from 1 on"),
        (["--count=-3"], "--count: '-3' is not a whole number from 1 on"),
        (["--processes", "0"], "--processes: '0' is not"),
        (["--most-tests", "many"], "--most-tests: 'many' is not"),
        (["--most-seconds", "nan"], "--most-seconds: 'nan' is not a number of seconds above 0"),
        (["--most-seconds", "soon"], "--most-seconds: 'soon' is not"),
        (["--record", "tests/nowhere.py"], "there is no tests/nowhere.py in tests: name a file or a folder there."),
        (["--record", "src"], "there is no src in tests"),
        (["--record", "tests/test_sums.py::test_adding"], "there is no tests/test_sums.py::test_adding in tests"),
        (["--record", "--survivors"], "--record plants nothing: leave out"),
        (["--survivors", "src/wakeful"], "--survivors plants all that survived: leave out"),
        (["--results", "tests"], "--results: tests cannot be a file: name one in a folder."),
        (["--results", "pytest.ini/last.json"], "cannot be a file"),
    ],
)
def test_what_cannot_be_done_is_refused(
    project: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        program.main(arguments)

    assert left.value.code == 2
    assert words in capsys.readouterr().err
    assert not (project / ".mutants").exists()


def test_tests_to_record_have_one_name_however_they_are_written(project: Path) -> None:
    written = ["tests/", "./tests/test_sums.py", str(project / "tests")]

    options = read_options(project, project / ".mutants", ["--record", *written])

    assert options.record == ["tests", "tests/test_sums.py", "tests"]


def test_all_tests_are_recorded_if_none_are_named(project: Path) -> None:
    assert read_options(project, project / ".mutants", ["--record"]).record == []
    assert read_options(project, project / ".mutants", []).record is None


def test_without_a_recording_one_is_to_be_made_first(project: Path) -> None:
    assert refused([]).startswith("Nothing is known of the tests yet: run scripts/mutants --record")


def test_a_recording_that_cannot_be_read_is_to_be_deleted(recorded: Path) -> None:
    (recorded / ".mutants" / "seen.sqlite").write_text("this is not a database" * 100)

    assert refused([]).endswith("If no other run uses it, delete it and run scripts/mutants --record.")


def test_survivors_need_a_run_before(recorded: Path) -> None:
    assert refused(["--survivors"]).endswith("last.json yet: run scripts/mutants without --survivors first.")


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", "[{}]", '{"a": 1}', '[{"verdict": "caught"}]', '[{"verdict": "odd"}]']
)
def test_a_file_that_holds_no_results_is_named(recorded: Path, text: str) -> None:
    Path("odd.json").write_text(text)

    assert refused(["--survivors", "--results", "odd.json"]).startswith("odd.json does not hold results: name another")


def test_a_run_with_nothing_to_plant_says_so_and_keeps_earlier_results(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = recorded / ".mutants" / "last.json"
    save(kept, [Result("1", SUMS, 5, "kind", "a", "b", Verdict.CAUGHT, None, [])])

    program.main(["src/wakeful/__init__.py"])
    program.main(["--survivors"])

    told = capsys.readouterr().out
    assert "There is nothing to plant there: no fault is possible, or mutants/harmless.txt names all of them." in told
    assert f"Nothing that survived is left in {kept}" in told
    assert [row["id"] for row in json.loads(kept.read_text())] == ["1"]


def test_a_survivor_that_was_found_to_be_harmless_is_not_planted_again(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = next(fault for fault in faults_at(recorded, Target(SUMS)) if fault.is_one)
    save(recorded / ".mutants" / "last.json", [Result.of(fault, Judgement(Verdict.SURVIVED))])
    (recorded / "mutants" / "harmless.txt").write_text(f"{fault.id} the sum is the same\n")

    program.main(["--survivors"])

    assert "Nothing that survived is left" in capsys.readouterr().out


def test_a_harmless_change_is_named_by_its_id_and_a_reason(project: Path) -> None:
    file = project / "mutants" / "harmless.txt"
    file.write_text("# Sums\n\n  \n0123456789 as it is\n[abcdef0123] as it is printed\n")
    assert harmless_faults(file) == {"0123456789", "abcdef0123"}

    for odd in ("0123456789", "src/wakeful/sums.py the same", "[0123456789]"):
        file.write_text(f"# Sums\n{odd}\n")
        with pytest.raises(ValueError, match=r"^harmless\.txt:2 is not an id, .* and a reason: write both\.$"):
            harmless_faults(file)


def refused(arguments: list[str]) -> str:
    with pytest.raises(SystemExit) as left:
        program.main(arguments)
    assert isinstance(left.value.code, str)
    return left.value.code
