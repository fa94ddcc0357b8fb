"""The `wakeful` command itself: which commands there are, and how it ends."""

import gc
import sys
from typing import Any

import click
import pytest

from wakeful.cli import main as main_module
from wakeful.cli.main import main, wakeful
from wakeful.errors import ConfigError, MessageUnusable, WakefulError


def ended(monkeypatch: pytest.MonkeyPatch, outcome: Any) -> int:
    """Return the exit code of a command that returns or raises this."""

    def run(**given: Any) -> Any:
        assert given == {"prog_name": "wakeful", "standalone_mode": False}
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr(wakeful, "main", run)
    with pytest.raises(SystemExit) as left:
        main()
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.mark.parametrize(
    ("outcome", "code", "said"),
    [
        (None, 0, ""),
        (3, 3, ""),
        ("text", 0, ""),
        (ConfigError("No key."), 2, "wakeful: No key.\n"),
        (MessageUnusable("No text."), 2, "wakeful: No text.\n"),
        (WakefulError("It broke."), 1, "wakeful: It broke.\n"),
        (click.UsageError("Not so."), 2, "Error: Not so.\n"),
        (click.ClickException("Not now."), 1, "Error: Not now.\n"),
        (KeyboardInterrupt(), 130, ""),
        (click.Abort(), 130, ""),
    ],
)
def test_the_exit_code_says_how_it_went_and_an_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], outcome: Any, code: int, said: str
) -> None:
    assert ended(monkeypatch, outcome) == code
    assert capsys.readouterr() == ("", said)


def test_what_the_terminal_cannot_show_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, str]] = []

    class Stream:
        def reconfigure(self, **how: str) -> None:
            asked.append(how)

    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Stream())
        # One that cannot be changed stays as it is.
        patch.setattr(sys, "stderr", object())
        assert ended(monkeypatch, 0) == 0

    assert asked == [{"errors": "replace"}]


@pytest.mark.parametrize(
    ("name", "is_closed"), [("sessions", False), ("key", False), ("login", False), ("tasks", True), ("ask", True)]
)
def test_a_command_that_reads_keys_cannot_be_looked_into(
    monkeypatch: pytest.MonkeyPatch, name: str, is_closed: bool
) -> None:
    closed: list[str] = []
    monkeypatch.setattr(main_module, "make_undumpable", lambda: closed.append(name))

    command = wakeful.get_command(click.Context(wakeful), name)

    assert (command is not None and command.name, closed) == (name, [name] if is_closed else [])


def test_after_the_import_of_a_command_garbage_is_collected_again_but_not_among_what_was_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frozen: list[bool] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(gc.isenabled()))
    seen: list[bool] = []

    class Module:
        @property
        def sessions(self) -> click.Command:
            seen.append(gc.isenabled())
            return click.Command("sessions")

    monkeypatch.setattr(main_module, "import_module", lambda name: Module())

    wakeful.get_command(click.Context(wakeful), "sessions")

    assert (seen, frozen, gc.isenabled()) == ([False], [False], True)


def test_there_are_only_the_commands_that_the_help_lists() -> None:
    context = click.Context(wakeful)
    names = wakeful.list_commands(context)

    assert wakeful.get_command(context, "nothing") is None
    shown = wakeful.get_help(context)
    assert all(f"  {name} " in shown for name in names)
    assert (names[0], len(names)) == ("serve", 14)
