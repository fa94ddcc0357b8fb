"""`wakeful attach`: watches a session, and never speaks in it."""

import asyncio
import io
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input

from tests.unit.cli.chat.chat_server import ChatServer
from tests.unit.cli.chat.questions import a_question
from wakeful.cli import attach as module
from wakeful.cli.attach import attach
from wakeful.cli.chat import probe
from wakeful.cli.chat.cards.card import Card
from wakeful.cli.chat.screens.plain_screen import PlainScreen
from wakeful.cli.client import Client, ServerGone
from wakeful.cli.plain_text import harmless
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import ConfigError


class Watched(ChatServer):
    """A session that says something when it is watched."""

    def __init__(self) -> None:
        super().__init__()
        self.snapshot["approvals"] = [question := a_question("rm", ("rm", "deletes"))]
        self.send("token", {"step": 1, "text": "Well.\n\nSo\n"})
        self.send("approval_required", question)


@pytest.fixture
def signals() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def run_attach(home: Path, monkeypatch: pytest.MonkeyPatch, servers: list[ChatServer]) -> Result:
    @asynccontextmanager
    async def connected(config: Config, *, adopts: bool, door: str) -> AsyncIterator[Client]:
        assert (adopts, door) == (False, "terminal")
        servers.append(Watched())
        yield servers[0]
        # The session is left before its engine may end.
        assert servers[0].open_streams == []

    monkeypatch.setattr(module, "connected", connected)
    monkeypatch.setattr(module, "set_up_log", lambda config: None)
    return CliRunner().invoke(attach, ["ses_01aaaaaa"], env={"WAKEFUL_HOME": str(home)}, standalone_mode=False)


def test_without_a_server_there_is_nothing_to_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = run_attach(tmp_path, monkeypatch, [])

    assert isinstance(refused.exception, ConfigError)
    assert str(refused.exception).startswith("No server runs here that you could watch")


@pytest.mark.usefixtures("signals")
def test_in_a_pipe_it_prints_what_happens_until_it_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_answered", lambda path: True)
    real = PlainScreen.show

    def show_and_end(screen: PlainScreen, card: Card) -> None:
        real(screen, card)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(PlainScreen, "show", show_and_end)
    servers: list[ChatServer] = []

    ended = run_attach(tmp_path, monkeypatch, servers)

    assert ended.exception is None
    assert ended.output.startswith("Well.\n\n? The agent asks before it runs this")
    assert "wakeful approvals answers it, from another terminal." in ended.output
    assert [method for method, path, _ in servers[0].asked if method != "GET" and path != "/api/session/seen"] == []


class Screen(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.has_changed = asyncio.Event()

    def write(self, text: str) -> int:
        self.has_changed.set()
        return super().write(text)


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("leaving", ["q", "\x03", "\x04", "signal"])
async def test_at_a_terminal_keys_do_nothing_but_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leaving: str
) -> None:
    server, screen = Watched(), Screen()
    server.faults["/health"] = [ServerGone() for _ in range(100)]
    monkeypatch.setattr(probe, "_SECONDS", 0.01)

    @asynccontextmanager
    async def connected(config: Config, *, adopts: bool, door: str) -> AsyncIterator[Client]:
        yield server
        assert server.open_streams == []

    monkeypatch.setattr(module, "connected", connected)
    monkeypatch.setattr("sys.stdout", screen)
    config = load_config({"WAKEFUL_HOME": str(tmp_path)})
    with create_pipe_input() as keys, create_app_session(input=keys):
        watching = asyncio.create_task(module._watch_at_terminal(config, "ses_01aaaaaa"))
        async with asyncio.timeout(10):
            while not all(words in harmless(screen.getvalue()) for words in ("needs an answer", "○ reconnecting")):
                screen.has_changed.clear()
                await screen.has_changed.wait()
        keys.send_text("y\rhello\r")
        if leaving == "signal":
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            keys.send_text(leaving)
        await asyncio.wait_for(watching, 10)

    assert "(watching; Ctrl-C leaves)" in harmless(screen.getvalue())
    assert server.carried("/api/chat/start") + server.carried("/api/approval/respond") == []
