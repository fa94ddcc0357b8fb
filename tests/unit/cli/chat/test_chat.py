"""How a chat begins: where it is shown, which model it names, and how a signal or a new server ends it."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
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


class Begun:
    """What began: which engine was wanted, which chat with what, and what was said at its end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.engine: tuple[bool, float] | None = None
        self.chat: dict[str, Any] = {}
        self.given: tuple[Any, ...] = ()
        self.farewells: list[bool] = []
        self.has_ended = self.ended_before_its_engine = False
        # Sent while the chat runs, which then would go on for ever.
        self.signal: signal.Signals | None = None
        monkeypatch.setattr(module, "connected", self._connected)
        monkeypatch.setattr(module, "PipedChat", partial(self._begin, "pipe"))
        monkeypatch.setattr(module, "TerminalChat", partial(self._begin, "terminal"))
        monkeypatch.setattr(module, "set_up_log", lambda config: None)

    @asynccontextmanager
    async def _connected(self, config: Config, *, adopts: bool, door: str) -> AsyncIterator[None]:
        assert door == "terminal"
        self.engine = adopts, config.engine.stop_grace_seconds
        yield
        self.ended_before_its_engine = self.has_ended

    def _begin(self, kind: str, *parts: Any, **how: Any) -> "Begun":
        self.chat = {"kind": kind} | how
        return self

    async def run(self, *given: Any) -> int:
        self.given = given
        try:
            if self.signal is not None:
                os.kill(os.getpid(), self.signal)
                await asyncio.Event().wait()
        finally:
            self.has_ended = True
        return 3

    def say_farewell(self, *, is_server: bool) -> None:
        self.farewells.append(is_server)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Iterator[Begun]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield Begun(monkeypatch)
    for number, handler in kept.items():
        signal.signal(number, handler)


def run_chat(home: Path, *words: str, **settings: str) -> Result:
    return CliRunner().invoke(chat, words, env={"WAKEFUL_HOME": str(home), **settings}, standalone_mode=False)


@pytest.mark.parametrize(
    ("words", "given", "model"),
    [
        ([], (None, "", 600.0), ""),
        (["--resume"], ("", "", 600.0), ""),
        (["--resume", "abc", "--model", "openai:x", "--wait", "2"], ("abc", "openai:x", 2.0), "openai:x"),
    ],
)
def test_a_pipe_is_not_painted(
    tmp_path: Path,
    begun: Begun,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    given: tuple[Any, ...],
    model: str,
) -> None:
    monkeypatch.chdir(tmp_path)

    assert run_chat(tmp_path, *words, WAKEFUL_STOP_GRACE_SECONDS="30").return_value == 3

    # Without a server, what the chat starts has to be kept by this process.
    assert begun.engine == (True, 30.0)
    assert begun.given == given
    assert begun.chat == {"kind": "pipe", "model": model, "workspace": str(tmp_path)}


@pytest.mark.parametrize(
    ("settings", "is_served", "model", "shown"),
    [
        ({}, False, "", "demo:wakeful"),
        ({}, True, "", ""),
        ({"WAKEFUL_MODEL": "openai:x"}, True, "openai:x", "openai:x"),
    ],
)
def test_at_a_terminal_the_model_of_the_server_is_not_known_yet(
    tmp_path: Path,
    begun: Begun,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str],
    is_served: bool,
    model: str,
    shown: str,
) -> None:
    monkeypatch.setattr(module, "is_terminal", lambda: True)
    monkeypatch.setattr(module, "is_answered", lambda path: is_served)

    assert run_chat(tmp_path, "--resume", "abc", **settings).return_value == 3

    assert (begun.chat["model"], begun.chat["shown_model"], begun.chat["home"]) == (model, shown, tmp_path)
    assert begun.given == ("abc", "")
    assert begun.farewells == [not is_served]


def test_a_chat_that_took_over_says_so_at_its_end(
    tmp_path: Path, begun: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "is_terminal", lambda: True)
    monkeypatch.setattr(module, "is_answered", lambda path: True)
    monkeypatch.setattr(Successor, "is_at_work", True)

    run_chat(tmp_path)

    assert begun.farewells == [True]


@pytest.mark.parametrize(("grace", "kept"), [("30", 1.0), ("0.5", 0.5)])
def test_at_a_terminal_nobody_waits_long_for_the_end(
    tmp_path: Path, begun: Begun, monkeypatch: pytest.MonkeyPatch, grace: str, kept: float
) -> None:
    monkeypatch.setattr(module, "is_terminal", lambda: True)

    run_chat(tmp_path, "--model", "openai:x", WAKEFUL_STOP_GRACE_SECONDS=grace)

    assert begun.engine == (True, kept)
    assert begun.given == (None, "openai:x")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_chat_in_order(tmp_path: Path, begun: Begun, number: signal.Signals, code: int) -> None:
    begun.signal = number

    assert run_chat(tmp_path).return_value == code
    assert begun.ended_before_its_engine


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
