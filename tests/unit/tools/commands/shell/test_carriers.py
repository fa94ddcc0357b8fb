"""The program behind those that run it."""

import pytest

from wakeful.tools.commands.shell.carriers import assignments_of, carried, name_of


@pytest.mark.parametrize(
    ("words", "program"),
    [
        ("a b", "a b"),
        ("A=1 B+=2 a C=3", "a C=3"),
        ("A=1", ""),
        ("sudo a", "a"),
        ("sudo", "sudo"),
        ("sudo -u me", "sudo -u me"),
        ("sudo -u", "sudo -u"),
        ("nice sudo", "sudo"),
        ("nice sudo -n", "sudo -n"),
        ("/usr/bin/sudo -u me /bin/a", "/bin/a"),
        ("sudo -n a", "a"),
        ("sudo -nu me a", "a"),
        ("sudo -un a", "a"),
        ("sudo -- a", "a"),
        ("sudo -u me -- -a", "-a"),
        ("sudo --user me a", "a"),
        ("sudo --user=me a", "a"),
        ("sudo --stdin a", "a"),
        ("sudo A=1 B=2 a", "a"),
        ("env -i A=1 a", "a"),
        ("timeout 5 a", "a"),
        ("timeout -s 9 5 a", "a"),
        ("timeout -- 5 a", "a"),
        ("timeout 5", "timeout 5"),
        ("chroot x A=1 a", "a"),
        ("flock -w 5 lock nice -n 5 a -n", "a -n"),
        ("a sudo b", "a sudo b"),
    ],
)
def test_the_words_of_a_carrier_are_passed_over(words: str, program: str) -> None:
    assert carried(words.split()) == program.split()


def test_no_words_carry_nothing() -> None:
    assert (carried([]), assignments_of([])) == ([], [])


def test_assignments_stand_before_the_program() -> None:
    assert assignments_of(["A=1", "_b+=2", "c", "D=3"]) == ["A=1", "_b+=2"]
    assert assignments_of(["1A=1", "B=2"]) == []


def test_a_program_is_named_without_its_folder() -> None:
    assert [name_of(word) for word in ("a", "/bin/a", "b/", "")] == ["a", "a", "", ""]
