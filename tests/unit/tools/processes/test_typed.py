"""The record of what was typed into a process."""

from pathlib import Path

from wakeful.tools.processes.typed import KEPT, LOST, TypedInput


def test_it_is_kept_in_order_and_for_this_user_only(tmp_path: Path) -> None:
    typed = TypedInput(tmp_path / "typed")

    typed.add("cd /srv\n")
    typed.add("rm -rf ü")

    assert typed.read() == "cd /srv\nrm -rf ü"
    assert (tmp_path / "typed").stat().st_mode & 0o777 == 0o600


def test_nothing_was_typed_into_a_new_process(tmp_path: Path) -> None:
    assert TypedInput(tmp_path / "typed").read() == ""


def test_of_much_the_newest_lines_are_kept_and_say_that_more_is_lost(tmp_path: Path) -> None:
    typed = TypedInput(tmp_path / "typed")

    for number in range(20):
        typed.add(f"line {number}\n" * 1_000)

    text = typed.read()
    assert text.startswith(f"{LOST}\n")
    assert text.endswith("line 19\n")
    assert len(text) <= KEPT
    assert set(text.removeprefix(LOST).split("\n")) <= {"", *(f"line {number}" for number in range(20))}
    assert (tmp_path / "typed").stat().st_size <= 2 * KEPT


def test_as_much_as_is_kept_is_read_whole_and_of_more_only_whole_lines(tmp_path: Path) -> None:
    typed = TypedInput(tmp_path / "typed")
    typed.add("a" * 9 + "\n" + "b" * (KEPT - 10))
    assert typed.read() == "a" * 9 + "\n" + "b" * (KEPT - 10)

    typed.add("\nc")

    assert typed.read() == f"{LOST}\n" + "b" * (KEPT - 10) + "\nc"


def test_what_is_kept_of_too_much_is_for_this_user_only(tmp_path: Path) -> None:
    TypedInput(tmp_path / "typed").add("line\n" * KEPT)

    (kept,) = tmp_path.iterdir()
    assert (kept.name, kept.stat().st_mode & 0o777) == ("typed", 0o600)
    assert kept.stat().st_size <= KEPT
