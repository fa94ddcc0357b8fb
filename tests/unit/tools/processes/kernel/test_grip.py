"""A hold on a process, which no other process with its number can be taken for."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.patience import PATIENCE
from wakeful.tools.processes.kernel.grip import end_group, grip_on, grip_on_pid
from wakeful.tools.processes.kernel.identity import identity_of


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as child:
        yield child
        child.kill()


async def test_its_end_is_noticed_and_a_grip_that_was_released_reaches_nobody(child: subprocess.Popen[bytes]) -> None:
    grip, gone = grip_on_pid(child.pid), asyncio.Event()
    assert grip is not None
    grip.watch(gone)
    has_ended = [grip.has_ended]

    await end_group(grip, gone, PATIENCE)

    has_ended.append(grip.has_ended)
    grip.release()
    assert [*has_ended, grip.has_ended] == [False, True, True]
    assert gone.is_set()


def test_a_released_grip_sends_nothing(child: subprocess.Popen[bytes]) -> None:
    grip = grip_on_pid(child.pid)
    assert grip is not None

    grip.release()
    grip.signal_group(signal.SIGKILL)

    assert child.poll() is None


def test_there_is_no_grip_on_another_process_or_on_none(child: subprocess.Popen[bytes]) -> None:
    identity = identity_of(child.pid)
    assert identity is not None

    assert grip_on(replace(identity, start_time=identity.start_time + 1)) is None
    assert grip_on_pid(2**22 + 1) is None
    child.kill()
    child.wait()
    assert grip_on(identity) is None


async def test_a_group_that_ignores_the_first_signal_is_killed_after_the_grace() -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"
    with subprocess.Popen(["python3", "-c", code], stdout=subprocess.PIPE, start_new_session=True) as stubborn:
        assert stubborn.stdout is not None
        stubborn.stdout.readline()
        grip, gone = grip_on_pid(stubborn.pid), asyncio.Event()
        assert grip is not None
        grip.watch(gone)

        await end_group(grip, gone, 0.01)

        assert gone.is_set()
        assert stubborn.wait() == -signal.SIGKILL
        grip.release()


def test_no_hold_is_left_on_a_process_that_was_let_go_or_was_another(child: subprocess.Popen[bytes]) -> None:
    identity = identity_of(child.pid)
    assert identity is not None
    before = _count_holds()

    grip = grip_on(identity)
    assert grip is not None
    grip.release()
    grip_on(replace(identity, start_time=identity.start_time + 1))

    assert _count_holds() == before


def _count_holds() -> int:
    return sum("pidfd" in os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd"))
