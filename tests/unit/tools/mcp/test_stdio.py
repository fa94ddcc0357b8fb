"""What is read from a server over its standard output, and how its process is ended."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest

from tests.patience import PATIENCE
from wakeful.tools.mcp.sdk import stdio
from wakeful.tools.mcp.sdk.stdio import _end, _last_words, _message_in, _read, _spawn_sentence, _write
from wakeful.tools.mcp.server_log import ServerLog
from wakeful.tools.mcp.settings import McpServerSettings
from wakeful.tools.processes.kernel.grip import grip_on_pid

MESSAGE = b'{"jsonrpc": "2.0", "method": "notifications/x"}\n'


@asynccontextmanager
async def reading(output: asyncio.StreamReader) -> AsyncIterator[Any]:
    """Yield what the session reads while the output of a server is passed on."""
    to_session, from_server = anyio.create_memory_object_stream[Any](10)
    task = asyncio.create_task(_read(cast(Any, SimpleNamespace(stdout=output)), to_session))
    try:
        async with asyncio.timeout(PATIENCE), from_server:
            yield from_server
    finally:
        task.cancel()


@pytest.fixture
def few_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "_MOST_GARBAGE", 3)


async def test_a_server_that_writes_garbage_only_is_given_up(few_garbage: None) -> None:
    output = asyncio.StreamReader()
    output.feed_data(b"no message\n" * 3)

    async with reading(output) as read:
        with pytest.raises(anyio.EndOfStream):
            await read.receive()


async def test_a_message_between_garbage_forgives_what_was_before(few_garbage: None) -> None:
    output = asyncio.StreamReader()
    garbage = b"no message\n" * 2
    output.feed_data(garbage + MESSAGE + garbage)

    async with reading(output) as read:
        await read.receive()
        output.feed_data(MESSAGE)
        await read.receive()
        output.feed_eof()
        with pytest.raises(anyio.EndOfStream):
            await read.receive()


async def test_nothing_more_is_read_for_a_session_that_is_gone() -> None:
    output = asyncio.StreamReader()
    output.feed_data(MESSAGE * 3)
    to_session, from_server = anyio.create_memory_object_stream[Any](0)
    from_server.close()

    async with asyncio.timeout(PATIENCE):
        await _read(cast(Any, SimpleNamespace(stdout=output)), to_session)


@pytest.mark.parametrize(
    ("line", "is_message"),
    [
        (MESSAGE, True),
        (b'{"jsonrpc": "2.0", "method": "x\xff"}', True),
        (b'{"jsonrpc": "2.0", "method": "\\ud83d"}', True),
        (b'{"jsonrpc": "2.0"}', False),
        (b"words", False),
        (b"[" * 100_000, False),
    ],
)
def test_a_message_is_read_though_some_of_its_bytes_are_no_text(line: bytes, is_message: bool) -> None:
    assert (_message_in(line) is not None) is is_message


@pytest.mark.parametrize(
    ("cwd", "error", "sentence"),
    [
        ("", FileNotFoundError(2, "No such file"), "'my tool': command not found"),
        ("/", FileNotFoundError(2, "No such file"), "'my tool': command not found"),
        ("/nowhere", FileNotFoundError(2, "No such file"), "its folder /nowhere does not exist"),
        ("/nowhere", PermissionError(13, "Not allowed"), "'my tool' could not be started: Not allowed"),
        ("", ValueError("embedded null byte"), "'my tool' could not be started: embedded null byte"),
    ],
)
def test_a_command_that_cannot_be_run_is_told_with_the_reason(
    cwd: str, error: OSError | ValueError, sentence: str
) -> None:
    assert _spawn_sentence(McpServerSettings("made", command="my tool", cwd=cwd), error) == sentence


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (None, "it closed its output"),
        (0, "it ended with exit code 0"),
        (3, "it ended with exit code 3"),
        (-9, "it was killed"),
    ],
)
def test_the_end_of_a_server_is_told_with_its_last_words(code: int | None, sentence: str, tmp_path: Path) -> None:
    log = ServerLog(tmp_path / "log", str)
    log.last_line = "no licence"

    ended = _last_words(cast(Any, SimpleNamespace(returncode=code)), log)

    assert (str(ended), ended.said) == (sentence, "no licence")


async def test_a_server_is_reaped_before_its_pipes_are_closed() -> None:
    steps: list[str] = []

    async def wait() -> None:
        steps.append("reaped")

    process = SimpleNamespace(
        stdin=SimpleNamespace(close=lambda: steps.append("input closed")),
        wait=wait,
        _transport=SimpleNamespace(close=lambda: steps.append("pipes closed")),
    )
    gone = asyncio.Event()
    gone.set()
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as child:
        grip = grip_on_pid(child.pid)
        assert grip is not None

        await _end(cast(Any, process), grip, gone)

        # What is left of its group is ended.
        assert child.wait(PATIENCE) == -9
        grip.release()
    assert steps == ["input closed", "reaped", "pipes closed"]


async def test_who_writes_to_a_server_that_has_closed_its_input_is_told() -> None:
    class Closed:
        def write(self, line: bytes) -> None:
            raise BrokenPipeError

    message = _message_in(MESSAGE)
    sending, sent = anyio.create_memory_object_stream[Any](1)
    sending.send_nowait(message)

    await _write(cast(Any, SimpleNamespace(stdin=Closed())), sent)

    with pytest.raises(anyio.BrokenResourceError):
        sending.send_nowait(message)
    sending.close()
