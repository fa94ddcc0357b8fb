"""Starts the `wakeful` command, as a fork of a process that has imported it: see nursery.py."""

import asyncio
import atexit
import json
import os
import select
import socket
import subprocess
import sys
from asyncio.base_subprocess import BaseSubprocessTransport
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_STREAM_LIMIT = 1 << 16


@dataclass(frozen=True, slots=True)
class Order:
    """The command with these arguments, in this folder, with no other variables in its environment."""

    arguments: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    # Whether it gets a session of its own.
    is_leader: bool = False
    # Python that the process runs first.
    before: str = ""
    # Whether it is started from scratch, as a user does.
    is_cold: bool = False

    @property
    def may_fork(self) -> bool:
        # A folder may have been added to the path for what should run whenever a Python process starts.
        return not self.is_cold and "PYTHONPATH" not in os.environ

    @property
    def for_python(self) -> list[str]:
        how = ["-c", f"{self.before}\nfrom wakeful.cli.main import main; main()"] if self.before else ["-m", "wakeful"]
        return [*how, *self.arguments]

    @property
    def started(self) -> dict[str, Any]:
        return {"cwd": self.folder, "env": self.environment, "start_new_session": self.is_leader}


def start(order: Order, **streams: Any) -> subprocess.Popen[bytes]:
    if order.may_fork:
        return Fork(order, **streams)
    return subprocess.Popen([sys.executable, *order.for_python], **order.started, **streams)


async def start_async(order: Order, **streams: Any) -> Process:
    if not order.may_fork:
        return await asyncio.create_subprocess_exec(sys.executable, *order.for_python, **order.started, **streams)
    loop = asyncio.get_running_loop()
    protocol, connected = SubprocessStreamProtocol(_STREAM_LIMIT, loop), loop.create_future()
    transport = _ForkTransport(loop, protocol, [], False, bufsize=0, waiter=connected, order=order, **streams)
    await connected
    return Process(transport, protocol, loop)


class Fork(subprocess.Popen[bytes]):
    def __init__(self, order: Order, when_over: Callable[[int], None] = lambda code: None, **streams: Any) -> None:
        # What is no text in an argument stays what it is in this JSON.
        self._order = json.dumps(asdict(order), default=str).encode()
        self._when_over = when_over
        super().__init__(order.arguments, **streams)

    def _execute_child(self, *given: Any) -> None:
        """Do what Popen leaves to this method: the pipes are made."""
        pipes = given[10:16]
        streams = [end if end != -1 else number for number, end in enumerate((pipes[0], pipes[3], pipes[5]))]
        news, telling = os.pipe()
        self.news = os.fdopen(news, "rb", buffering=0)
        socket.send_fds(_line(), [self._order], [*streams, telling])
        os.close(telling)
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]
        self.pid = int(self.news.readline())

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self.news], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = int(self.news.readline())
            self._when_over(self.returncode)
            self.news.close()
        return self.returncode


class _ForkTransport(BaseSubprocessTransport):
    def _start(  # type: ignore[override]
        self, args: Any, shell: Any, stdin: Any, stdout: Any, stderr: Any, bufsize: int, order: Order
    ) -> None:
        self._fork = Fork(order, self._on_end, stdin=stdin, stdout=stdout, stderr=stderr, bufsize=bufsize)
        self._proc = self._fork
        self._loop.add_reader(self._fork.news, self._fork.poll)

    def _on_end(self, code: int) -> None:
        self._loop.remove_reader(self._fork.news)
        self._loop.call_soon(self._process_exited, code)


@cache
def _line() -> socket.socket:
    """One nursery for each process of the test run. It ends when this end is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", "tests.nursery", str(theirs.fileno())]
        nursery = subprocess.Popen(command, cwd=_ROOT, pass_fds=[theirs.fileno()], start_new_session=True)
    atexit.register(nursery.wait)
    atexit.register(ours.close)
    return ours
