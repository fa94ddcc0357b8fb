"""A server that was started in the background of a script."""

import signal
import subprocess
import sys

_SCRIPT = """
import signal, subprocess
from wakeful.tools.processes.interrupts import hear_interrupts
hear_interrupts()
signal.raise_signal(signal.SIGINT)
print(subprocess.run(["sh", "-c", "kill -INT $$; sleep 10"]).returncode)
"""


def test_commands_can_be_interrupted_though_the_server_ignores_it() -> None:
    ignoring = f"trap '' INT QUIT; exec {sys.executable} -c '{_SCRIPT}'"

    said = subprocess.run(["sh", "-c", ignoring], capture_output=True, text=True, timeout=20, check=True)

    assert said.stdout.strip() == str(-signal.SIGINT)
