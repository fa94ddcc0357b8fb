"""What all commands share: the folder they are called in, their log, and how they end."""

import gc
import io
import logging
import os
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from wakeful.cli import command as command_module
from wakeful.cli import main as main_module
from wakeful.cli.command import current_folder, quiet_config
from wakeful.cli.connection import connected
from wakeful.cli.key import key
from wakeful.cli.log import set_up_log
from wakeful.cli.main import main, wakeful
from wakeful.cli.server.listener import local_listener
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import ConfigError, MessageUnusable, WakefulError

_COMMANDS = {
    *("serve", "chat", "ask", "sessions", "tasks", "approvals", "grants", "cron", "attach", "pair", "doctor"),
    *("login", "logins", "key"),
}


def test_a_command_works_in_the_folder_it_is_called_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert current_folder() == tmp_path


def test_a_folder_that_is_gone_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    with pytest.raises(ConfigError, match="The current folder no longer exists"):
        current_folder()


def test_a_folder_whose_name_is_no_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(odd)
    monkeypatch.chdir(os.fsdecode(odd))

    with pytest.raises(ConfigError, match="not written in UTF-8: set WAKEFUL_WORKSPACE"):
        current_folder()


def test_the_log_hides_secrets_and_says_as_much_as_the_settings_want(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setattr(logging.root, "level", logging.WARNING)
    monkeypatch.setattr(logging.getLogger("uvicorn"), "level", logging.NOTSET)
    settings = {"WAKEFUL_HOME": str(tmp_path), "WAKEFUL_LOG_LEVEL": "info", "OPENAI_API_KEY": "sk-hunter2hunter2"}

    set_up_log(load_config(settings), "wk_localkeylocalkey")
    logging.getLogger("any").info("sk-hunter2hunter2 and wk_localkeylocalkey")
    logging.getLogger("any").debug("details")
    logging.getLogger("uvicorn.error").info("started")

    said = capsys.readouterr().err
    assert said.endswith("INFO any: *** and ***\n")
    assert said.count("\n") == 1
    # The cache of levels knows nothing of the levels that are put back.
    logging.root.manager.loggerDict["any"].setLevel(logging.NOTSET)  # type: ignore[union-attr]


def test_a_command_that_prints_a_result_logs_warnings_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[Config] = []
    monkeypatch.setattr(command_module, "set_up_log", logged.append)
    monkeypatch.setenv("WAKEFUL_HOME", str(tmp_path))

    config = quiet_config()

    assert logged == [config]
    assert (config.log_level, config.home) == ("warning", tmp_path)


def test_the_key_is_made_once_and_a_new_one_is_not_kept(tmp_path: Path) -> None:
    home = tmp_path / "home"

    def printed(*options: str) -> str:
        return CliRunner().invoke(key, options, env={"WAKEFUL_HOME": str(home)}).stdout.strip()

    fresh = printed("--new")
    assert not home.exists()
    first = printed()

    assert (home / "key").read_text().strip() == first
    assert printed() == first
    assert len({fresh, first, printed("--new")}) == 3


@pytest.mark.parametrize(
    ("outcome", "code", "said"),
    [
        (None, 0, ""),
        (3, 3, ""),
        (ConfigError("Set this."), 2, "wakeful: Set this.\n"),
        (MessageUnusable("The message is empty."), 2, "wakeful: The message is empty.\n"),
        (WakefulError("It is gone."), 1, "wakeful: It is gone.\n"),
        (KeyboardInterrupt(), 130, "\n"),
        (click.UsageError("Not so."), 2, "Error: Not so.\n"),
    ],
)
def test_a_command_ends_with_a_code_and_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    outcome: int | BaseException | None,
    code: int,
    said: str,
) -> None:
    def work() -> int | None:
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr(type(wakeful), "get_command", lambda group, context, name: click.command("key")(work))
    monkeypatch.setattr(sys, "argv", ["wakeful", "key"])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == code
    assert capsys.readouterr().err.rpartition("\n\n")[2] == said


class Importing:
    """Stands in for the import of a command; it keeps what was imported, and whether the collector ran meanwhile."""

    def __init__(self) -> None:
        self.imported: list[str] = []
        self.was_collecting = False

    def __call__(self, name: str) -> SimpleNamespace:
        self.imported.append(name)
        self.was_collecting |= gc.isenabled()
        return SimpleNamespace(**{command: click.Command(command) for command in _COMMANDS})


@pytest.fixture
def importing(monkeypatch: pytest.MonkeyPatch) -> Importing:
    importing = Importing()
    monkeypatch.setattr(main_module, "import_module", importing)
    return importing


def test_commands_that_hold_secrets_cannot_be_looked_into(
    importing: Importing, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, closed = click.Context(wakeful), set[str]()
    for name in wakeful.list_commands(context):
        monkeypatch.setattr(main_module, "make_undumpable", partial(closed.add, name))
        command = wakeful.get_command(context, name)
        assert command is not None
        assert command.name == name

    assert closed == _COMMANDS - {"sessions", "approvals", "grants", "pair", "login", "key"}
    assert len(importing.imported) == len(_COMMANDS)


@pytest.mark.usefixtures("importing")
def test_what_is_no_command_is_not_imported() -> None:
    assert wakeful.get_command(click.Context(wakeful), "nonsense") is None


def test_the_collector_does_not_look_at_what_a_command_imports(importing: Importing) -> None:
    frozen = gc.get_freeze_count()
    kept: list[list[int]] = [[] for _ in range(100)]

    wakeful.get_command(click.Context(wakeful), "key")

    assert not importing.was_collecting
    assert gc.isenabled()
    assert gc.get_freeze_count() >= frozen + len(kept)


def test_help_lists_every_command_with_its_sentence() -> None:
    shown = CliRunner().invoke(wakeful, ["-h"]).output

    assert all(any(line.split()[:1] == [name] for line in shown.splitlines()) for name in _COMMANDS)
    assert "Run the server." in shown


def test_letters_that_the_terminal_lacks_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    out = io.TextIOWrapper(written, encoding="latin-1")
    command = click.command("key")(lambda: click.echo("a → b"))
    monkeypatch.setattr(type(wakeful), "get_command", lambda group, context, name: command)
    monkeypatch.setattr(sys, "argv", ["wakeful", "key"])

    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        with pytest.raises(SystemExit) as ended:
            main()

    assert (ended.value.code, written.getvalue()) == (0, b"a ? b\n")


async def test_a_command_that_reaches_a_server_keeps_no_secrets_in_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2hunter2")
    config = load_config({"WAKEFUL_HOME": str(tmp_path), "OPENAI_API_KEY": "sk-hunter2hunter2"})

    with local_listener(tmp_path):
        async with connected(config, adopts=True, door="terminal"):
            assert "OPENAI_API_KEY" not in os.environ
            assert (tmp_path / "key").exists()
            # The server that is there is used.
            assert not (tmp_path / "wakeful.db").exists()
