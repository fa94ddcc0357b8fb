"""`wakeful ask`: what is asked, whom, and what comes back through a server."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.unit.cli.scripted_server import ScriptedServer
from wakeful.cli import ask as module
from wakeful.cli.ask import ask
from wakeful.cli.asking import served_turn
from wakeful.cli.asking.served_turn import ask_server
from wakeful.cli.client import ServerEvent, ServerGone
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import MessageUnusable, TurnFailed
from wakeful.gateway.entrance.local_key import local_key

Asked = list[tuple[str, str, tuple[Path, ...]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What reached a turn: where it ran and with which model, its words, its files."""
    found: Asked = []

    async def own(config: Config, text: str, files: tuple[Path, ...]) -> int:
        found.append((f"own {config.model} in {config.workspace}", text, files))
        return 0

    async def served(config: Config, socket: Path, text: str, model: str, files: tuple[Path, ...]) -> int:
        found.append((f"server {model}", text, files))
        return 7

    monkeypatch.setattr(module, "ask_own_engine", own)
    monkeypatch.setattr(module, "ask_server", served)
    monkeypatch.setattr(module, "set_up_log", lambda config: None)
    return found


def run_ask(home: Path, *words: str, stdin: bytes = b"", settings: dict[str, str] | None = None) -> Result:
    environment = {"WAKEFUL_HOME": str(home), **(settings or {})}
    return CliRunner().invoke(ask, words, input=stdin, env=environment, standalone_mode=False)


def test_without_a_server_the_turn_runs_here(tmp_path: Path, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    run_ask(tmp_path, "hi", "--attach", "a.txt", "--attach", "b.txt", "--model", "openai:x")

    assert asked == [(f"own openai:x in {tmp_path}", "hi", (Path("a.txt"), Path("b.txt")))]


def test_what_standard_input_holds_is_the_message(tmp_path: Path, asked: Asked) -> None:
    run_ask(tmp_path, "-", stdin="wörter\n".encode())

    assert asked[0][1] == "wörter\n"


@pytest.mark.parametrize(
    ("words", "settings", "model"),
    [
        ([], {}, ""),
        (["--model", "openai:x"], {}, "openai:x"),
        ([], {"WAKEFUL_MODEL": "openai:y"}, "openai:y"),
    ],
)
def test_a_server_answers_with_its_own_model_unless_one_is_named_here(
    tmp_path: Path,
    asked: Asked,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    settings: dict[str, str],
    model: str,
) -> None:
    monkeypatch.setattr(module, "is_answered", lambda path: path == tmp_path / "wakeful.sock")
    (tmp_path / "config.toml").write_text('model = "openai:of-the-server"\n')

    result = run_ask(tmp_path, "hi", *words, settings=settings)

    assert (result.return_value, asked) == (7, [(f"server {model}", "hi", ())])


@pytest.mark.parametrize(
    ("message", "stdin", "sentence"),
    [
        (" \n", b"", "The message is empty."),
        ("-", b"", "The message is empty."),
        ("-", b"\xff", "Standard input is not text in UTF-8."),
        ("a\udcff", b"", "The message is not text in UTF-8."),
    ],
)
def test_a_message_that_is_none_is_refused_and_nobody_asked(
    tmp_path: Path, asked: Asked, message: str, stdin: bytes, sentence: str
) -> None:
    refused = run_ask(tmp_path, message, stdin=stdin)

    assert isinstance(refused.exception, MessageUnusable)
    assert (str(refused.exception), asked) == (sentence, [])


TOKEN = ServerEvent("1", "token", {"step": 1, "text": "Hello"})
DONE = ServerEvent("2", "done", {"turn_id": "turn_1"})


class AskedServer(ScriptedServer):
    """Takes a message; its files are named by their paths."""

    def __init__(self, *events: ServerEvent, answers: dict[str, Any] | None = None) -> None:
        known = {"POST /api/session/new": {"session_id": "ses_1"}, "POST /api/chat/start": {"stream_id": "turn_1"}}
        super().__init__(known | {"POST /api/chat/cancel": {}} | (answers or {}), events)

    async def upload(self, file: Path, session_id: str = "") -> dict[str, Any]:
        self.asked.append(("upload", {"file": file}))
        return {"id": f"att_{file.name}"}


class Stalled(AskedServer):
    """Says a word and no more; the turn ends when it is cancelled, unless the server is frozen."""

    def __init__(self, *, is_frozen: bool = False) -> None:
        super().__init__()
        self._is_frozen = is_frozen
        self._cancelled = asyncio.Event()

    async def post(self, path: str, body: Any) -> dict[str, Any]:
        if path == "/api/chat/cancel":
            if self._is_frozen:
                await asyncio.Event().wait()
            self._cancelled.set()
        return await super().post(path, body)

    async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
        yield TOKEN
        os.kill(os.getpid(), signal.SIGINT)
        await self._cancelled.wait()
        yield ServerEvent("2", "cancelled", {"turn_id": "turn_1", "code": "stopped", "message": "Stopped."})


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return load_config({"WAKEFUL_HOME": str(tmp_path)}, defaults={"workspace": tmp_path})


async def ask_it(config: Config, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, **how: Any) -> int:
    def reach(socket: Path, key: str, door: str, *, patience: float) -> ScriptedServer:
        assert (socket, key, door, patience) == (Path("socket"), local_key(config.home), "ask", 20.0)
        return server

    monkeypatch.setattr(served_turn, "Client", reach)
    async with asyncio.timeout(10):
        return await ask_server(config, Path("socket"), "hi", **({"model": ""} | how))


async def test_an_answer_of_a_server_is_printed(
    config: Config, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = AskedServer(TOKEN, DONE)

    assert await ask_it(config, server, monkeypatch) == 0

    assert capsys.readouterr().out == "Hello\n"
    (_, new), (_, start) = server.changes()
    assert new == {"workspace": str(config.workspace)}
    assert (start["session_id"], start["message"], "attachments" in start) == ("ses_1", "hi", False)
    assert server.asked[-1] == ("event 2", {"stream_id": "turn_1"})


async def test_files_are_sent_before_there_is_a_session(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    server = AskedServer(TOKEN, DONE)

    await ask_it(config, server, monkeypatch, model="openai:x", files=[Path("a"), Path("b")])

    assert [request for request, _ in server.asked[:3]] == ["upload", "upload", "POST /api/session/new"]
    assert server.asked[2][1]["model"] == "openai:x"
    assert server.asked[3][1]["attachments"] == ["att_a", "att_b"]


async def test_a_turn_that_failed_is_an_error_with_its_reason(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = ServerEvent("2", "failed", {"turn_id": "turn_1", "code": "model_credit", "message": "No credit."})

    with pytest.raises(TurnFailed, match="No credit") as error:
        await ask_it(config, AskedServer(TOKEN, failed), monkeypatch)

    assert error.value.code == "model_credit"


async def test_a_server_that_is_gone_says_where_the_answer_will_be(
    config: Config, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Dying(AskedServer):
        async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
            yield TOKEN
            raise ServerGone

    with pytest.raises(ServerGone, match="continues the turn: `wakeful attach ses_1` shows it"):
        await ask_it(config, Dying(), monkeypatch)

    # The line is ended, so that the error stands on its own.
    assert capsys.readouterr().out == "Hello\n"


@pytest.fixture
def signals() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals")
async def test_a_signal_cancels_the_turn_and_waits_for_its_end(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Stalled()

    assert await ask_it(config, server, monkeypatch) == 130
    assert server.changes()[-1] == ("POST /api/chat/cancel", {"session_id": "ses_1"})


@pytest.mark.usefixtures("signals")
async def test_a_frozen_server_does_not_hold_up_a_signal(
    config: Config, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(served_turn, "_STOP_SECONDS", 0.01)

    assert await ask_it(config, Stalled(is_frozen=True), monkeypatch) == 130
    # What was said so far is a whole line.
    assert capsys.readouterr().out == "Hello\n"
