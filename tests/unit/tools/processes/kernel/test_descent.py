"""Which processes are commands of this server: recognised by environment, session and ancestors."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.unit.tools.processes.kit import Ledger, keeping
from wakeful.tools.processes.kernel.descent import MARK, Descent
from wakeful.tools.processes.settings import ProcessSettings

# Leaves its parent and session, prints its pid, and waits until its input ends.
_ORPHAN = """
import os, sys
if os.fork():
    os._exit(0)
os.setsid()
print(os.getpid(), flush=True)
sys.stdin.read()
"""

# Prints, as an ordinary user, for orphans that pid 1, systemd and another process have adopted, whether they count as
# commands: one with an open environment, and one that hides it.
_CLOSED = """
import ctypes, os
from pathlib import Path
from wakeful.tools.processes.kernel.descent import Descent

DUMPABLE, NAME, ADOPTS = 4, 15, 36
prctl = ctypes.CDLL(None).prctl

def is_command(is_open):
    said, says = os.pipe()
    ends, ended = os.pipe()
    if not (parent := os.fork()):
        if os.fork():
            os._exit(0)
        os.setsid()
        prctl(DUMPABLE, int(is_open))
        os.write(says, b"%d" % os.getpid())
        os.read(ends, 1)
        os._exit(0)
    os.waitpid(parent, 0)
    # Not by this process, which may have adopted it: the children of a server are its commands.
    if not (judge := os.fork()):
        os._exit(Descent(Path("/tasks")).is_command(int(os.read(said, 32))))
    _, code = os.waitpid(judge, 0)
    os.write(ended, b".")
    return bool(code)

os.setgid(65534)
os.setuid(65534)
print("pid 1", is_command(True), is_command(False))
prctl(ADOPTS, 1)
for name in (b"systemd", b"another"):
    prctl(NAME, name)
    prctl(DUMPABLE, 1)
    print(name.decode(), is_command(True), is_command(False))
"""


@pytest.fixture
def descent(tmp_path: Path) -> Descent:
    return Descent(tmp_path / "tasks")


@contextmanager
def orphan(**environment: str) -> Iterator[int]:
    """A process that has left its parent and its session."""
    how = [sys.executable, "-c", _ORPHAN]
    with subprocess.Popen(how, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as child:
        assert child.stdout is not None
        pid = int(child.stdout.readline())
        child.wait()
        yield pid


def test_the_server_and_its_own_parents_are_no_commands(descent: Descent) -> None:
    assert not descent.is_command(os.getpid())
    assert not descent.is_command(os.getppid())


def test_children_of_the_server_are_commands(descent: Descent) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
        assert descent.is_command(child.pid)


def test_a_process_that_is_gone_or_out_of_sight_is_not_trusted(descent: Descent) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()

    assert descent.is_command(gone.pid)
    assert descent.is_command(0)


def test_what_has_left_its_parents_is_recognised_by_the_mark_of_this_server(descent: Descent, tmp_path: Path) -> None:
    with orphan(**{MARK: str(tmp_path / "tasks")}) as ours, orphan(**{MARK: "/others/tasks"}) as theirs:
        assert descent.is_command(ours)
        assert not descent.is_command(theirs)


async def test_a_command_that_wipes_its_environment_is_recognised_by_the_shell_around_it(
    ledger: Ledger, settings: ProcessSettings
) -> None:
    command = "echo $$; env -i sh -c 'echo $$; sleep 100'; true"
    async with keeping(ledger, settings) as keeper:
        job = asyncio.create_task(keeper.foreground.run(command, "/", timeout=60, pty=False))
        pids = await _said_pids(settings.root)
        descent = Descent(settings.root)
        marked = [_is_marked(pid) for pid in pids]
        is_ours = [descent.is_command(pid) for pid in pids]
        leaders = [_is_marked(os.getsid(pid)) for pid in pids]
        os.kill(pids[1], signal.SIGKILL)
        await job

    assert marked == [True, False]
    # The mark also works for another server of the same home, whose children they are not.
    assert is_ours == leaders == [True, True]


def test_an_orphan_that_hides_its_environment_is_not_trusted() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can try it as an ordinary user")

    run = subprocess.run([sys.executable, "-c", _CLOSED], capture_output=True, text=True)

    assert (run.stdout, run.stderr) == ("pid 1 False True\nsystemd False True\nanother False False\n", "")


async def _said_pids(root: Path) -> list[int]:
    async with asyncio.timeout(PATIENCE):
        while len(pids := [int(line) for path in root.glob("fg_*/output") for line in path.read_text().split()]) < 2:  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.005)
    return pids


def _is_marked(pid: int) -> bool:
    return f"{MARK}=".encode() in Path(f"/proc/{pid}/environ").read_bytes()


# Each process: its pid, name, parent, session, terminal, and its environment; None: that cannot be read.
KIN = [
    (1, "init", 0, 1, 0, b""),
    (20, "systemd", 1, 20, 0, b""),
    (30, "another (x", 1, 30, 0, b""),
    (40, "sh", 30, 40, 0, b"A=1\0INSIDE_AGENT_OF=/tasks\0"),
    (41, "of a session", 1, 40, 0, b""),
    (42, "below", 41, 42, 0, None),
    (50, "orphan", 1, 50, 0, None),
    (51, "of systemd", 20, 51, 0, None),
    (52, "of another", 30, 52, 0, None),
    (53, "at a terminal", 1, 53, 34_816, None),
    (54, "no leader", 1, 30, 0, None),
    (55, "open orphan", 1, 55, 0, b"B=2\0"),
    (56, "of another server", 1, 56, 0, b"INSIDE_AGENT_OF=/tasks2\0"),
    (60, "in a circle", 61, 60, 0, b""),
    (61, "in a circle", 60, 60, 0, b""),
]


def test_a_family_tells_who_descends_from_a_command(tmp_path: Path) -> None:
    for pid, name, parent, session, terminal, environment in KIN:
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_text(f"{pid} ({name}) S {parent} {pid} {session} {terminal} -1 0\n")
        if environment is not None:
            (tmp_path / str(pid) / "environ").write_bytes(environment)
    descent = Descent(Path("/tasks"), tmp_path)

    commands = [pid for pid, *_ in KIN if descent.is_command(pid)]

    assert commands == [40, 41, 42, 50, 51]
    # What does not exist cannot be trusted; the server itself can.
    assert (descent.is_command(99), descent.is_command(os.getpid())) == (True, False)


def test_children_of_the_server_are_commands_also_without_a_mark(tmp_path: Path) -> None:
    for pid, parent in ((os.getpid(), 1), (2_000_000, os.getpid()), (2_000_001, 2_000_000)):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (sh) S {parent} {pid} {pid} 0 -1 0\n")
        (tmp_path / str(pid) / "environ").touch()

    descent = Descent(Path("/tasks"), tmp_path)

    assert (descent.is_command(2_000_000), descent.is_command(2_000_001)) == (True, True)
