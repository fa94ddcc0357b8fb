"""Which programs run what is typed into them, where they start, and whether that is another machine."""

import pytest

from wakeful.tools.commands.gate.interpreters import is_elsewhere, is_interpreter, starts_anew
from wakeful.tools.commands.shell.words import simple_commands


@pytest.mark.parametrize(
    ("command", "runs_it"),
    [
        ("bash", True),
        ("/bin/sh -c x", True),
        ("python3.12 -i", True),
        ("mysql shop", True),
        ("ssh host", True),
        ("npm exec /bin/bash", True),
        ("uvx ipython", True),
        ("bashful", False),
        ("npm start", False),
        ("sudo -s", True),
        ("sudo -i", True),
        ("sudo --login", True),
        ("sudo --shell", True),
        ("sudo -k", False),
        ("doas -s", True),
        ("doas -n", False),
        ("echo bash", False),
        ("rm python3", False),
        ("cd node", False),
    ],
)
def test_an_interpreter_is_known_by_its_name_or_among_the_words(command: str, runs_it: bool) -> None:
    (simple,) = list(simple_commands(command))[:1]

    assert bool(is_interpreter(simple)) is runs_it


def test_what_was_too_long_to_read_may_run_it() -> None:
    *_, last = simple_commands("ls;" * 2_000)

    assert last.is_cut
    assert is_interpreter(last)


@pytest.mark.parametrize(
    ("command", "elsewhere", "anew"),
    [
        ("bash", False, False),
        ("bash -l", False, True),
        ("bash --login", False, True),
        ("sudo -s", False, True),
        ("doas -s", False, True),
        ("su me", False, True),
        ("tmux", False, True),
        ("screen", False, True),
        ("nix-shell", False, True),
        ("ssh host", True, False),
        ("docker exec -it b sh", True, False),
        ("python3", False, False),
    ],
)
def test_where_an_interpreter_starts(command: str, elsewhere: bool, anew: bool) -> None:
    simple = next(simple_commands(command))

    assert (is_elsewhere(simple), bool(starts_anew(simple))) == (elsewhere, anew)
