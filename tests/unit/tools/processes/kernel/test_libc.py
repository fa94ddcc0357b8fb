"""The calls of the C library."""

import os
import subprocess
import sys

import pytest

_NOBODY = 65534
_CLOSED = """
import os, sys
from wakeful.tools.processes.kernel.libc import make_undumpable
make_undumpable()
os.setuid(int(sys.argv[1]))
print(open("/proc/self/stat").read() != "", os.listdir("/proc/self/fd") != [], flush=True)
sys.stdin.read()
"""
_LOOK = "import sys; open(f'/proc/{sys.argv[1]}/environ').read()"


def test_an_undumpable_process_is_hidden_from_processes_of_the_same_user() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can try it as an ordinary user")
    how = [sys.executable, "-c", _CLOSED, str(_NOBODY)]
    with subprocess.Popen(how, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as closed:
        assert closed.stdout is not None
        # A server still reads what it needs about itself.
        assert closed.stdout.readline() == "True True\n"
        looked = subprocess.run(
            ["/usr/bin/env", "python3", "-c", _LOOK, str(closed.pid)], user=_NOBODY, capture_output=True, text=True
        )

    assert "PermissionError" in looked.stderr


@pytest.mark.parametrize(("command", "dumpable"), [("serve", "0"), ("chat", "0"), ("ask", "0"), ("approvals", "1")])
def test_a_program_with_an_engine_is_undumpable_from_its_start(command: str, dumpable: str) -> None:
    code = """
import atexit, ctypes
from wakeful.cli.main import main
atexit.register(lambda: print(ctypes.CDLL(None).prctl(3)))
main()
"""
    run = subprocess.run([sys.executable, "-c", code, command, "--help"], capture_output=True, text=True)

    assert run.stdout.splitlines()[-1] == dumpable
