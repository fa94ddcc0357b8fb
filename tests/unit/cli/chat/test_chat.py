"""How a chat begins: where it is shown, which model it names, and how a signal or a new server ends it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from wakeful.cli.chat import chat as module
from wakeful.cli.chat.chat import chat, is_terminal
from wakeful.cli.chat.successor import Successor
from wakeful.cli.server.listener import is_answered, local_listener, local_socket
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import StoreLocked


class Stream:
    def __init__(self, *, is_terminal: bool) -> None:
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize(
    ("stdin", "stdout", "term", "expected"),
    [
        (True, True, "xterm", True),
        (False, True, "xterm", False),
        (True, False, "xterm", False),
        (True, True, "dumb", False),
        (True, True, "", False),
        (True, True, None, False),
    ],
)
def test_only_a_terminal_that_can_move_its_cursor_is_painted(
    monkeypatch: pytest.MonkeyPatch, stdin: bool, stdout: bool, term: str | None, expected: bool
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdin", Stream(is_terminal=stdin))
        patch.setattr("sys.stdout", Stream(is_terminal=stdout))
        patch.delenv("TERM", raising=False) if term is None else patch.setenv("TERM", term)
        found = is_terminal()

    assert found is expected


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """Which chat began, and with what."""
    found: list[tuple[str, Any]] = []

    async def in_pipe(config: Any, resume: str | None, model: str, wait: float) -> int:
        found.append(("pipe", (config.model, resume, model, wait)))
        return 3

    async def at_terminal(config: Any, resume: str | None, model: str) -> int:
        found.append(("terminal", (config.model, resume, model, config.engine.stop_grace_seconds)))
        return 4

    monkeypatch.setattr(module, "_chat_in_pipe", in_pipe)
    monkeypatch.setattr(module, "_chat_at_terminal", at_terminal)
    monkeypatch.setattr(module, "set_up_log", lambda config: None)
    return found


def run_chat(home: Path, *words: str, **settings: str) -> Result:
    return CliRunner().invoke(chat, words, env={"WAKEFUL_HOME": str(home), **settings}, standalone_mode=False)


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ([], ("demo:wakeful", None, "", 600.0)),
        (["--resume"], ("demo:wakeful", "", "", 600.0)),
        (["--resume", "abc", "--model", "openai:x", "--wait", "2"], ("openai:x", "abc", "openai:x", 2.0)),
    ],
)
def test_a_pipe_is_not_painted(tmp_path: Path, begun: list[Any], words: list[str], given: tuple[Any, ...]) -> None:
    assert run_chat(tmp_path, *words).return_value == 3
    assert begun == [("pipe", given)]


@pytest.mark.parametrize(("grace", "kept"), [("30", 1.0), ("0.5", 0.5)])
def test_at_a_terminal_nobody_waits_long_for_the_end(
    tmp_path: Path, begun: list[Any], monkeypatch: pytest.MonkeyPatch, grace: str, kept: float
) -> None:
    monkeypatch.setattr(module, "is_terminal", lambda: True)

    assert run_chat(tmp_path, "--model", "openai:x", WAKEFUL_STOP_GRACE_SECONDS=grace).return_value == 4
    assert begun == [("terminal", ("openai:x", None, "openai:x", kept))]


@asynccontextmanager
async def serving(config: Config, *, adopts: bool, door: str) -> AsyncIterator[None]:
    """An engine as far as others can see it."""
    assert (adopts, door) == (True, "terminal")
    with local_listener(config.home):
        yield


async def test_without_a_server_this_chat_takes_its_place_until_it_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.cli.chat.successor.connected", serving)
    config = load_config({"WAKEFUL_HOME": str(tmp_path)})
    states: list[tuple[bool, bool]] = []

    async with asyncio.timeout(10), Successor(config, "terminal") as successor:
        states.append((successor.is_at_work, is_answered(local_socket(tmp_path))))
        assert await successor.start()
        states.append((successor.is_at_work, is_answered(local_socket(tmp_path))))
        assert not await successor.start()
    states.append((successor.is_at_work, is_answered(local_socket(tmp_path))))

    assert states == [(False, False), (True, True), (False, False)]


async def test_it_takes_over_once_even_where_nobody_can_see_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a home whose name is too long for a socket."""
    monkeypatch.setattr("wakeful.cli.chat.successor.connected", serving)
    monkeypatch.setattr("wakeful.cli.chat.successor.is_answered", lambda path: False)

    async with asyncio.timeout(10), Successor(load_config({"WAKEFUL_HOME": str(tmp_path)}), "terminal") as successor:
        assert [await successor.start(), await successor.start()] == [True, False]


async def test_a_server_that_answers_is_left_in_its_place(tmp_path: Path) -> None:
    config = load_config({"WAKEFUL_HOME": str(tmp_path)})
    with local_listener(tmp_path):
        async with Successor(config, "terminal") as successor:
            assert not await successor.start()
            assert not successor.is_at_work


async def test_a_database_that_is_still_held_is_an_error_and_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(*how: Any, **more: Any) -> Any:
        raise StoreLocked("It is held.")

    monkeypatch.setattr("wakeful.cli.chat.successor.connected", held)
    async with Successor(load_config({"WAKEFUL_HOME": str(tmp_path)}), "terminal") as successor:
        for _ in range(2):
            with pytest.raises(StoreLocked, match="It is held"):
                await successor.start()
        assert not successor.is_at_work
