"""The calls of the C library."""

import os
import subprocess
import sys

import pytest

_NOBODY = 65534
_CLOSED = """
import os, sys
from wakeful.tools.processes.libc import make_undumpable
make_undumpable()
os.setuid(int(sys.argv[1]))
print(open("/proc/self/stat").read() != "", os.listdir("/proc/self/fd") != [], flush=True)
sys.stdin.read()
"""
_LOOK = "import sys; open(f'/proc/{sys.argv[1]}/environ').read()"


def test_what_is_undumpable_is_closed_to_processes_of_the_same_user() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can try it as an ordinary user")
    how = [sys.executable, "-c", _CLOSED, str(_NOBODY)]
    with subprocess.Popen(how, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as closed:
        assert closed.stdout is not None
        # What a server needs to know of itself it still can.
        assert closed.stdout.readline() == "True True\n"
        looked = subprocess.run(
            ["/usr/bin/env", "python3", "-c", _LOOK, str(closed.pid)], user=_NOBODY, capture_output=True, text=True
        )

    assert "PermissionError" in looked.stderr


def test_commands_of_ours_are_closed_from_their_start() -> None:
    how = [sys.executable, "-c", "from wakeful.cli.main import main; main()", "key", "--help"]
    code = "import ctypes, runpy, sys, atexit; atexit.register(lambda: print(ctypes.CDLL(None).prctl(3)))\n"
    told = subprocess.run([how[0], "-c", code + how[2], *how[3:]], capture_output=True, text=True)

    assert told.stdout.splitlines()[-1] == "0"
