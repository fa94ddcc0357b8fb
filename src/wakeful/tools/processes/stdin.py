"""Writes to the input of a process, without ever blocking the server on one that does not read."""

import asyncio
import errno
import os
import signal

from wakeful.tools.processes.folder import ProcessFolder

_END_OF_INPUT = b"\x04"
# Seconds between two checks while a wrapper opens its input, which takes milliseconds.
_PAUSE = 0.005


class InputRefused(Exception):
    """The process takes no input. The tool answers with the code and the text."""

    def __init__(self, reason: str, code: str = "not_found") -> None:
        super().__init__(reason)
        self.code = code


async def write_input(folder: ProcessFolder, leader: int, data: bytes, *, pty: bool, patience: float) -> None:
    """Write all of the data. Raises InputRefused, also if the process does not read it in time; then a part may have
    been written.
    """
    size = len(data)
    try:
        async with asyncio.timeout(patience):
            pipe = await _opened(folder, leader, pty=pty)
            try:
                while data:
                    data = data[await _write_some(pipe, data) :]
            finally:
                os.close(pipe)
    except TimeoutError as error:
        reason = f"it does not read its input: {len(data)} of {size} bytes could not be written in {patience:g} s"
        raise InputRefused(reason, "timeout") from error
    except BrokenPipeError as error:
        raise InputRefused("it does not read its input any more") from error


async def close_input(folder: ProcessFolder, leader: int, *, pty: bool, patience: float) -> None:
    """End the input of the process. A terminal cannot be closed, so it gets ^D. Raises InputRefused."""
    if pty:
        await write_input(folder, leader, _END_OF_INPUT, pty=True, patience=patience)
        return
    try:
        async with asyncio.timeout(patience):
            holder = await _ready_holder(folder, leader)
    except TimeoutError as error:
        raise InputRefused("its input is not ready", "timeout") from error
    folder.stdin.unlink()
    os.kill(holder, signal.SIGKILL)


async def _opened(folder: ProcessFolder, leader: int, *, pty: bool) -> int:
    if not pty:
        await _ready_holder(folder, leader)
    while True:
        try:
            return os.open(folder.stdin, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            # ENXIO: the pipe has no reader, until the terminal is ready.
            if error.errno != errno.ENXIO:
                raise InputRefused("its input cannot be opened") from error
        await asyncio.sleep(_PAUSE)


async def _ready_holder(folder: ProcessFolder, leader: int) -> int:
    """Return the pid of the process that keeps the input open. It is valid only while it is in the process's group."""
    while folder.stdin.exists():
        holder = folder.holder()
        if holder is not None:
            return _require_member(holder, leader)
        await asyncio.sleep(_PAUSE)
    raise InputRefused("its input was closed")


def _require_member(holder: int, leader: int) -> int:
    try:
        if os.getpgid(holder) == leader:
            return holder
    except ProcessLookupError:
        pass
    raise InputRefused("its input was closed")


async def _write_some(pipe: int, data: bytes) -> int:
    try:
        return os.write(pipe, data)
    except BlockingIOError:
        await _room_in(pipe)
        return 0


async def _room_in(pipe: int) -> None:
    loop = asyncio.get_running_loop()
    has_room = asyncio.Event()
    loop.add_writer(pipe, has_room.set)
    try:
        await has_room.wait()
    finally:
        loop.remove_writer(pipe)
