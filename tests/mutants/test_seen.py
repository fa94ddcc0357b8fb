"""What is known about the tests: which lines they run, also after a source has changed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mutants.choice import Budget, choose
from mutants.seen import Look, Seen, Witness, former_lines

PATH = "src/wakeful/a.py"
OLD = b"one\ntwo\nthree\n"


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Seen]:
    (tmp_path / "tests").mkdir()
    for name in ("test_a.py", "test_b.py"):
        (tmp_path / "tests" / name).write_text("")
    with closing(Seen(tmp_path / "kept" / "seen.sqlite", tmp_path)) as seen:
        looks = [Look("tests/test_a.py::x", PATH, OLD, 0b0100), Look("tests/test_b.py::y", PATH, OLD, 0b1100)]
        seen.replace(["tests"], {"tests/test_a.py::x": 0.5, "tests/test_b.py::y": 1.5}, looks)
        yield seen


def test_a_line_is_seen_by_the_tests_that_ran_it(seen: Seen) -> None:
    assert seen.tests_at(PATH, {3}, OLD) == [Witness("tests/test_b.py::y", 1.5, 0b1100)]
    assert {test.name for test in seen.tests_at(PATH, {2}, OLD)} == {"tests/test_a.py::x", "tests/test_b.py::y"}
    assert seen.tests_at(PATH, {1}, OLD) == []


def test_a_line_that_has_moved_is_looked_up_where_it_was(seen: Seen) -> None:
    assert [test.name for test in seen.tests_at(PATH, {5}, b"new\n\none\ntwo\nthree\n")] == ["tests/test_b.py::y"]


def test_a_new_line_is_looked_up_as_its_neighbours() -> None:
    assert former_lines(b"a\nb\n", b"a\nnew\nb\n", {2}) == {1, 2}


def test_files_of_tests_that_changed_or_are_new_have_to_be_recorded(seen: Seen, tmp_path: Path) -> None:
    assert seen.changed_test_files() == []

    (tmp_path / "tests" / "test_a.py").write_text("changed")
    (tmp_path / "tests" / "test_new.py").write_text("")

    assert seen.changed_test_files() == ["tests/test_a.py", "tests/test_new.py"]


def test_what_a_new_recording_says_replaces_what_was_known_of_the_same_files(seen: Seen) -> None:
    seen.replace(["tests/test_b.py"], {"tests/test_b.py::z": 1}, [Look("tests/test_b.py::z", PATH, OLD, 0b1000)])

    assert [test.name for test in seen.tests_at(PATH, {2, 3}, OLD)] == ["tests/test_a.py::x", "tests/test_b.py::z"]


def test_the_tests_of_a_removed_file_are_forgotten(seen: Seen, tmp_path: Path) -> None:
    (tmp_path / "tests" / "test_b.py").unlink()

    assert seen.changed_test_files() == []
    assert seen.tests_at(PATH, {3}, OLD) == []


def test_quick_tests_of_the_same_room_and_those_that_run_what_few_run_are_chosen_by_turns() -> None:
    slow, quick = Witness("tests/store/test_a.py::slow", 9, 0b10), Witness("tests/store/test_a.py::quick", 0.1, 0b10)
    far, near = Witness("tests/api/test_b.py::far", 0.1, 0b10), Witness("tests/store/test_c.py::near", 0.1, 0b10)
    special = Witness("tests/web/test_d.py::special", 0.4, 0b110)

    assert choose([slow, far, quick, near, special], "src/wakeful/store/row.py", Budget(2, 40)) == [quick, special]
    assert choose([slow, far, quick, near], "src/wakeful/store/row.py", Budget(9, 1)) == [far, quick, near]
    assert choose([slow], "src/wakeful/store/row.py", Budget(9, 1)) == [slow]


@pytest.mark.parametrize("source", ["engine/prompt_keeper.py", "engine/prompts/row.py"])
def test_tests_that_are_named_after_the_source_or_its_folder_come_first(source: str) -> None:
    named = Witness("tests/unit/test_prompts.py::x", 0.4, 0b1)
    quick = Witness("tests/engine/test_a.py::x", 0.05, 0b1)

    assert choose([quick, named], f"src/wakeful/{source}", Budget(1, 40)) == [named]


def test_the_quick_tests_beside_a_chosen_one_are_tried_too() -> None:
    cases = [Witness(f"tests/store/test_a.py::x[{case}]", 0.01, 0b1) for case in range(5)]
    slow, other = Witness("tests/store/test_a.py::y", 0.5, 0b1), Witness("tests/api/test_b.py::z", 0.01, 0b1)

    assert choose([*cases, slow, other], "src/wakeful/store/row.py", Budget(1, 40)) == cases
    assert choose(cases, "src/wakeful/store/row.py", Budget(1, 0.1)) == cases[:3]
    # A slow test that has used up the time takes it from none of them.
    special = Witness("tests/api/test_b.py::special", 0.99, 0b111)
    assert choose([*cases, special], "src/wakeful/store/row.py", Budget(9, 1)) == [*cases, special]


def test_a_process_that_cannot_save_its_recording_leaves_all_the_same() -> None:
    script = """
import os
from mutants.recording.tracing import save_before_leaving

def refuse() -> None:
    raise PermissionError

save_before_leaving(refuse)
os._exit(3)
"""

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 3
