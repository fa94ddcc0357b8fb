"""One turn on an engine of the command's own: what is printed, and what ends it before its end."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from wakeful.cli.asking import own_turn
from wakeful.cli.asking.own_turn import ask_own_engine
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.errors import MessageUnusable, StoreError, TurnFailed
from wakeful.model.event import Event, StreamItem
from wakeful.model.words import Word, WordsHead

_HEAD = WordsHead("ses_1", "turn_1", 1, 0)
HELLO: StreamItem = Word(_HEAD, 1, "token", "Hello")


def event(kind: str, **data: Any) -> Event:
    return Event("ses_1", 1, "turn_1", 1, kind, orjson.dumps(data), 0.0)


class OneTurnEngine:
    """Gives the pages of one turn. Without an end, the turn goes on until it is cancelled."""

    def __init__(self, *items: StreamItem) -> None:
        self._pages = [[item] for item in items]
        self.submitted: list[Submission] = []
        self.sessions: list[tuple[Any, ...]] = []
        self.cancelled: list[str] = []
        self.failure: StoreError | None = None
        self.number: signal.Signals | None = None

    async def create_session(self, *how: Any) -> Any:
        self.sessions.append(how)
        return SimpleNamespace(id="ses_1")

    async def submit(self, message: Submission) -> Receipt:
        self.submitted.append(message)
        return Receipt("ses_1", "turn_1", is_queued=False)

    async def subscribe_turn(self, session_id: str, turn_id: str) -> AsyncIterator[list[StreamItem]]:
        assert (session_id, turn_id) == ("ses_1", "turn_1")
        for page in self._pages:
            yield page
        if not isinstance(self._pages[-1][0], Event):
            if self.number is not None:
                os.kill(os.getpid(), self.number)
            await asyncio.Event().wait()

    async def store_failure(self) -> StoreError:
        if self.failure is None:
            await asyncio.Event().wait()
        assert self.failure is not None
        return self.failure

    async def cancel(self, session_id: str) -> None:
        self.cancelled.append(session_id)


class Desk:
    async def offer(self, name: str, file: Path, owner: str) -> Any:
        if not file.exists():
            raise FileNotFoundError(2, "No such file or directory")
        return SimpleNamespace(id=f"att_{file.name}")

    async def claim(self, ids: list[str], session: Any, owner: str) -> tuple[str, ...]:
        return tuple(ids)


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


async def ask(engine: OneTurnEngine, home: Path, monkeypatch: pytest.MonkeyPatch, *files: Path) -> int:
    @asynccontextmanager
    async def running_engine(config: Config, *, adopts: bool) -> AsyncIterator[Any]:
        # It wakes nothing else and takes over nothing.
        assert not adopts
        yield SimpleNamespace(engine=engine, attachments=Desk())

    monkeypatch.setattr(own_turn, "running_engine", running_engine)
    config = load_config({"WAKEFUL_HOME": str(home)}, options={"model": "openai:x"}, defaults={"workspace": home})
    async with asyncio.timeout(10):
        return await ask_own_engine(config, "hi", files)


async def test_the_answer_is_printed_and_thoughts_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").touch()
    thought = Word(_HEAD, 2, "reasoning", "Hm.")
    engine = OneTurnEngine(event("turn_started"), thought, HELLO, event("done"))

    assert await ask(engine, tmp_path, monkeypatch, tmp_path / "a.txt") == 0

    assert capsys.readouterr().out == "Hello\n"
    (message,) = engine.submitted
    assert (message.session_id, message.text, message.model) == ("ses_1", "hi", "openai:x")
    assert [str(name) for name in message.attachments] == ["att_a.txt"]
    assert engine.sessions[0][2:] == ("openai:x", str(tmp_path))
    assert engine.cancelled == []


async def test_a_turn_that_failed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = OneTurnEngine(HELLO, event("failed", code="model_credit", message="No credit."))

    with pytest.raises(TurnFailed, match="No credit"):
        await ask(engine, tmp_path, monkeypatch)


async def test_a_file_that_cannot_be_read_leaves_no_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = OneTurnEngine(event("done"))

    with pytest.raises(MessageUnusable, match=r"missing cannot be attached: no such file or directory\.$"):
        await ask(engine, tmp_path, monkeypatch, tmp_path / "missing")

    assert engine.sessions == []


async def test_a_store_that_fails_ends_the_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = OneTurnEngine(HELLO)
    engine.failure = StoreError("The disk is full.")

    with pytest.raises(StoreError, match="The disk is full"):
        await ask(engine, tmp_path, monkeypatch)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_a_signal_cancels_the_turn_and_ends_the_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: signal.Signals,
    code: int,
) -> None:
    engine = OneTurnEngine(HELLO)
    engine.number = number

    assert await ask(engine, tmp_path, monkeypatch) == code
    assert (engine.cancelled, capsys.readouterr().out) == (["ses_1"], "Hello\n")


async def test_a_reader_that_is_gone_cancels_the_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        def isatty(self) -> bool:
            return False

        def write(self, text: str) -> int:
            raise BrokenPipeError

        def flush(self) -> None: ...

    engine = OneTurnEngine(HELLO)
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", Closed())
        with pytest.raises(BrokenPipeError):
            await ask(engine, tmp_path, monkeypatch)

    assert engine.cancelled == ["ses_1"]
