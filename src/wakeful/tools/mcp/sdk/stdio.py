"""The stdio transport. The package has one, too, but a server's output can fill the memory there, one byte that is not
UTF-8 ends the connection, and a crash of Wakeful leaves the process.
"""

import asyncio
import json
import os
import shlex
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from wakeful.tools.mcp.failures import ServerEnded
from wakeful.tools.mcp.place import StdioPlace
from wakeful.tools.mcp.sdk.message_lines import MessageLines
from wakeful.tools.mcp.sdk.streams import Streams
from wakeful.tools.mcp.server_log import ServerLog
from wakeful.tools.mcp.settings import McpServerSettings
from wakeful.tools.processes.kernel.grip import Grip, end_group, end_rest_of_group, grip_on_pid

_CHUNK = 64 * 1024
# How long a server may take to end after its input was closed, and after TERM.
_GRACE_SECONDS = 2.0
# How long its last words are read after its end, because its children may hold its output open.
_LAST_WORDS_SECONDS = 0.5
# After this many lines in a row that are not messages, the server is given up: it does not speak MCP.
_MOST_GARBAGE = 1_000


@asynccontextmanager
async def stdio_streams(settings: McpServerSettings, place: StdioPlace) -> AsyncIterator[Streams]:
    """Run the server while the block runs. Its whole process group ends with it. Raises ServerEnded."""
    process = await _spawn(settings, place)
    grip = grip_on_pid(process.pid)
    if grip is None:
        # It has ended already, and the event loop has reaped it.
        raise await _ended_at_once(process, place.log)
    gone, ended = asyncio.Event(), asyncio.Event()
    grip.watch(gone)
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    with place.files.noted_process(settings.name, grip.identity):
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_read, process, to_session)
                group.start_soon(_write, process, from_session)
                group.start_soon(_watch, process, place.log, gone, ended)
                try:
                    yield Streams(from_server, to_server, ended, lambda: _last_words(process, place.log))
                finally:
                    with anyio.CancelScope(shield=True):
                        # A task of its own: in one that is being cancelled, Python 3.11.2 raises no TimeoutError.
                        await asyncio.create_task(_end(process, grip, gone))
                    group.cancel_scope.cancel()
        finally:
            grip.release()
            for stream in (to_session, from_server, to_server, from_session):
                stream.close()


async def _spawn(settings: McpServerSettings, place: StdioPlace) -> Process:
    try:
        return await asyncio.create_subprocess_exec(
            settings.command,
            *settings.args,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env={**place.environment, **settings.env},
            cwd=settings.cwd or place.folder,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise ServerEnded(_spawn_sentence(settings, error)) from error


def _spawn_sentence(settings: McpServerSettings, error: OSError | ValueError) -> str:
    command = shlex.quote(settings.command)
    if isinstance(error, FileNotFoundError) and settings.cwd and not os.path.isdir(settings.cwd):
        return f"its folder {settings.cwd} does not exist"
    if isinstance(error, FileNotFoundError):
        return f"{command}: command not found"
    return f"{command} could not be started: {getattr(error, 'strerror', None) or error}"


async def _ended_at_once(process: Process, log: ServerLog) -> ServerEnded:
    assert process.stderr is not None
    await asyncio.wait([asyncio.ensure_future(log.keep(process.stderr))], timeout=_LAST_WORDS_SECONDS)
    await process.wait()
    process._transport.close()  # type: ignore[attr-defined]
    return _last_words(process, log)


async def _read(process: Process, to_session: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    """Pass on the server's messages. The session is closed when its output ends or is only garbage."""
    assert process.stdout is not None
    lines, garbage = MessageLines(), 0
    async with to_session:
        while garbage < _MOST_GARBAGE and (chunk := await process.stdout.read(_CHUNK)):
            for line in lines.feed(chunk):
                message = _message_in(line)
                if message is None:
                    garbage += 1
                    continue
                garbage = 0
                try:
                    await to_session.send(message)
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return


def _message_in(line: bytes) -> SessionMessage | None:
    """Return None for a line that is no message."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line))
    except ValueError:
        pass
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(_mended(line)))
    except (ValueError, RecursionError):
        return None


def _mended(line: bytes) -> bytes:
    """Return the JSON with question marks for what is not UTF-8, and for the halves of characters that JavaScript
    writes where it has cut a text.
    """
    return json.dumps(json.loads(line.decode(errors="replace")), ensure_ascii=False).encode(errors="replace")


async def _write(process: Process, from_session: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    async with from_session:
        async for sent in from_session:
            line = sent.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
            try:
                process.stdin.write(line)
                await process.stdin.drain()
            except (ConnectionError, RuntimeError):
                # The server has closed its input. uvloop raises RuntimeError for a pipe that it has closed then.
                return


async def _watch(process: Process, log: ServerLog, gone: asyncio.Event, ended: asyncio.Event) -> None:
    """Keep what the server says on its standard error, and notice its end."""
    assert process.stderr is not None
    keeping = asyncio.ensure_future(log.keep(process.stderr))
    try:
        await gone.wait()
        waiting = asyncio.ensure_future(process.wait())
        await asyncio.wait([keeping, waiting], timeout=_LAST_WORDS_SECONDS)
        waiting.cancel()
        ended.set()
        await keeping
    finally:
        keeping.cancel()


async def _end(process: Process, grip: Grip, gone: asyncio.Event) -> None:
    """End the server as the protocol says, by closing its input, and then with signals. Nothing of its group stays."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(_GRACE_SECONDS):
            await gone.wait()
    except TimeoutError:
        await end_group(grip, gone, _GRACE_SECONDS)
    end_rest_of_group(grip.identity)
    try:
        # Asyncio reaps its own children; the grip must not be faster.
        async with asyncio.timeout(_LAST_WORDS_SECONDS):
            await process.wait()
    except TimeoutError:
        pass
    # Also closes our ends of the pipes: a child of the server may hold the other ends open.
    process._transport.close()  # type: ignore[attr-defined]


def _last_words(process: Process, log: ServerLog) -> ServerEnded:
    code = process.returncode
    how = "closed its output" if code is None else f"ended with exit code {code}" if code >= 0 else "was killed"
    return ServerEnded(f"it {how}", log.last_line)
