"""Input that is typed into a running process: which programs run it, and how keys and long histories matter."""

import time
from pathlib import Path

import pytest

from tests.unit.tools.kit import HOME
from wakeful.model.approvals.approval import Reason
from wakeful.tools.commands.gate.reasons import Scene
from wakeful.tools.commands.gate.typing import Typing, reasons_to_type


def typed(command: str, before: str, new: str, workspace: Path) -> tuple[Reason, ...]:
    return reasons_to_type(Typing(command, before, new), Scene(workspace, workspace, HOME))


INTERPRETERS = [
    "bash",
    "/bin/sh -i",
    "exec zsh",
    "fish",
    "dash",
    "ksh",
    "cd src && python3.11",
    "python -i script.py",
    "FOO=1 node",
    "psql -d shop",
    "ssh host",
    "sudo -s",
    "sudo -u me -i",
    "sudo su",
    "docker exec -it box bash",
    "bash -c 'cd /; exec bash'",
]
CODE = [
    ("", "shutil.rmtree('/opt/x')\n"),
    ("", "import os; os.system('rm -rf /opt/x')\n"),
    ("", "subprocess.run(['rm', '-rf', '/opt/x'])\n"),
    ("", "os.remove('/opt/x')\n"),
    ("os.re", "move('/opt/x')\n"),
]


def test_what_is_typed_into_a_program_that_runs_it_is_asked_about(tmp_path: Path) -> None:
    def kinds(command: str) -> list[str]:
        return [reason.kind for reason in typed(command, "", "rm -rf /opt/x\n", tmp_path)]

    assert [each for each in INTERPRETERS if "delete_outside" not in kinds(each)] == []


def test_what_is_typed_into_another_program_is_not(tmp_path: Path) -> None:
    others = ["cat", "npm init", "sudo make", "echo bash", "vim notes.sh", "./configure"]

    assert [each for each in others if typed(each, "", "rm -rf /opt/x\n", tmp_path)] == []


def test_code_that_deletes_is_found_in_what_is_typed(tmp_path: Path) -> None:
    def paths(before: str, new: str) -> list[str | None]:
        return [reason.path for reason in typed("python3", before, new, tmp_path)]

    assert [each for each in CODE if "/opt/x" not in paths(*each)] == []


def test_keys_that_edit_the_line_make_it_unclear_and_ordinary_ones_do_not(tmp_path: Path) -> None:
    editing = ["\x7f", "\x15", "\x17", "\x1b[A", "\x1b[200~", "\x12", "\x16", "/op\t", "\x04"]
    ordinary = ["\x03", "\x0c", "ls\r", "for i in 1:\n\tprint(i)\n", "[ ! -f x ] && echo hi!\n", "\n"]

    unclear = {each: [reason.kind for reason in typed("bash", "", f"ls {each}\n", tmp_path)] for each in editing}
    assert [each for each, kinds in unclear.items() if "unclear" not in kinds] == []
    assert [each for each in ordinary if typed("bash", "make\n", each, tmp_path)] == []


def test_an_odd_quote_before_swallows_nothing(tmp_path: Path) -> None:
    (dropped,) = typed("psql", "-- it's\n", "DROP TABLE x; -- it's\n", tmp_path)
    (deleted,) = typed("bash", "echo it's\n", "rm -rf /opt/x; echo it's\n", tmp_path)

    assert (dropped.kind, deleted.path) == ("drop_data", "/opt/x")


def test_a_function_of_an_earlier_line_may_change_the_folder_though_a_quote_was_odd(tmp_path: Path) -> None:
    (tmp_path / "src/deep").mkdir(parents=True)
    before = "cd src/deep\nup() { cd ..; }\necho it's\n"

    reasons = typed("bash", before, "up; up; rm -rf ../x; echo it's\n", tmp_path)

    assert [(reason.kind, reason.path) for reason in reasons] == [("delete_outside", None)]


def test_what_was_asked_about_before_is_a_reason_again_only_if_it_is_typed_again(tmp_path: Path) -> None:
    assert typed("bash", "rm -rf /opt/x\n", "ls\n", tmp_path) == ()
    assert [reason.path for reason in typed("bash", "rm -rf /opt/x\n", "rm -rf /opt/x\n", tmp_path)] == ["/opt/x"]


@pytest.mark.parametrize("line", ["x\n", "echo hello world\n", "rm -rf a b c;", "cd a\n", "echo it's\n", "$(a) "])
def test_much_that_was_typed_before_is_read_quickly_and_is_no_reason_by_itself(line: str, tmp_path: Path) -> None:
    before = line * (65_000 // len(line)) + "\n"
    started = time.process_time()

    assert typed("bash", before, "ls\n", tmp_path) == ()
    assert typed("bash", before, "rm -rf /opt/x\n", tmp_path)
    assert time.process_time() - started < 20


def test_a_path_from_an_earlier_line_counts_for_the_call_that_deletes_it(tmp_path: Path) -> None:
    before = "name = '/opt/x'\n"
    assert "/opt/x" in [reason.path for reason in typed("python3", before, "os.remove(name)\n", tmp_path)]
