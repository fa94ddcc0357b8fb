"""A process that has imported `wakeful` and forks it for tests: importing takes longer than most tests do.

It reads orders from a socket, each with four open files: the standard streams of the new process, and a pipe on which
its id and, in the end, its exit code are told. See warm.py for the other end.
"""

import gc
import json
import os
import socket
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

import wakeful.cli.ask
import wakeful.cli.chat.chat
import wakeful.cli.cron
import wakeful.cli.doctor.doctor
import wakeful.cli.serve
import wakeful.cli.tasks  # noqa: F401 - most of what each command needs
from wakeful.cli.main import main

_LONGEST_ORDER = 1 << 20


def obey(line: socket.socket) -> None:
    """Fork what is ordered, until the tests are over."""
    gc.freeze()
    while True:
        order, files, _, _ = socket.recv_fds(line, _LONGEST_ORDER, 4)
        if not order:
            return
        if os.fork() == 0:
            line.detach()
            _keep(json.loads(order), *files)
        for file in files:
            os.close(file)
        _bury()


def _bury() -> None:
    """Wait for the keepers that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _keep(order: dict[str, Any], stdin: int, stdout: int, stderr: int, news: int) -> NoReturn:
    """Be the parent of the new process: fork it and tell how it ended."""
    child = os.fork()
    if child == 0:
        _become(order, stdin, stdout, stderr)
        exec(order["before"], {})
        main()
    for stream in (stdin, stdout, stderr):
        os.close(stream)
    # The test may be gone.
    with suppress(BrokenPipeError):
        os.write(news, b"%d\n" % child)
        _, status = os.waitpid(child, 0)
        os.write(news, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(order: dict[str, Any], *streams: int) -> None:
    """Be as if started: with the order's environment and arguments, these streams, and no other open file."""
    if order["is_leader"]:
        os.setsid()
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115 - open to the end
    sys.stderr = open(2, "w", buffering=1, closefd=False, errors="backslashreplace")  # noqa: SIM115
    sys.argv = ["wakeful", *order["arguments"]]


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as line:
        obey(line)
