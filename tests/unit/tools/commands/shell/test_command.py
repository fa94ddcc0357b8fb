"""The words of a simple command: options, operands, and where find starts."""

import pytest

from wakeful.tools.commands.shell.command import SimpleCommand, starts_of_find


def test_what_follows_two_dashes_is_no_option() -> None:
    command = SimpleCommand("rm", ("-a", "b", "--", "-c", "d", "--"))

    assert (command.options, command.operands) == (["-a"], ["b", "-c", "d", "--"])
    assert [command.has_flag(letter) for letter in "ac"] == [True, False]


def test_without_two_dashes_options_stand_anywhere() -> None:
    command = SimpleCommand("rm", ("a", "-b", "c", "--long"))

    assert (command.options, command.operands) == (["-b", "--long"], ["a", "c"])


@pytest.mark.parametrize(
    ("word", "has_it"),
    [
        ("-f", True),
        ("-rf", True),
        ("-r", False),
        ("-.f", True),
        ("-1f", False),
        ("-", False),
        ("--force", True),
        ("--force=x", True),
        ("--fo", True),
        ("--f", True),
        ("--forced", False),
        ("--off", False),
        ("--remove", False),
        ("f", False),
        ("force", False),
    ],
)
def test_a_flag_is_a_letter_or_the_beginning_of_a_name(word: str, has_it: bool) -> None:
    assert bool(SimpleCommand("rm", (word,)).has_flag("fF", "--force", "--follow")) is has_it


@pytest.mark.parametrize(
    ("words", "starts"),
    [
        ("", ["."]),
        ("a b -name c", ["a", "b"]),
        ("-name a", ["."]),
        ("-L -HP a -print b", ["a"]),
        ("-O3 -O a ! -name b", ["a"]),
        ("a ( -name b )", ["a"]),
        ("-D a", ["."]),
    ],
)
def test_find_starts_at_the_words_before_its_expression(words: str, starts: list[str]) -> None:
    assert starts_of_find(tuple(words.split())) == starts
