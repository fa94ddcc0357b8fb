"""A handle on a running process that can never refer to another one: its pidfd."""

import asyncio
import os
import select
import signal

from wakeful.tools.processes.kernel.identity import Identity, identity_of


class Grip:
    """The process leads a process group, whose number is its pid."""

    def __init__(self, identity: Identity, pidfd: int) -> None:
        self.identity = identity
        self._pidfd = pidfd
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_released = False

    def watch(self, gone: asyncio.Event) -> None:
        """Set the event when the process ends, or at once if it has ended already."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._pidfd, self._on_end, gone)

    @property
    def has_ended(self) -> bool:
        """Return whether the process has ended or the grip was released."""
        if self._is_released:
            return True
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return bool(poll.poll(0))

    def signal_group(self, number: signal.Signals) -> None:
        """Send the signal unless the process has ended: no other process may get it."""
        if not self.has_ended:
            _signal_group(self.identity.pid, number)

    def release(self) -> None:
        """Close the pidfd, and reap the process if it is a child that has ended."""
        self._unwatch()
        try:
            os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOHANG)
        except ChildProcessError:
            pass
        os.close(self._pidfd)
        self._is_released = True

    def _on_end(self, gone: asyncio.Event) -> None:
        self._unwatch()
        gone.set()

    def _unwatch(self) -> None:
        if self._loop is not None:
            self._loop.remove_reader(self._pidfd)


def grip_on_pid(pid: int) -> Grip | None:
    """Return a grip on a process whose pid cannot have been reused, such as a child, or None if it does not exist."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    identity = identity_of(pid)
    if identity is None:
        os.close(pidfd)
        return None
    return Grip(identity, pidfd)


def grip_on(identity: Identity) -> Grip | None:
    """Return None if the process has ended or its pid was reused."""
    # The pidfd is opened before the start time is read: if the time is right, so is the pidfd.
    grip = grip_on_pid(identity.pid)
    if grip is None:
        return None
    if grip.identity == identity and not grip.has_ended:
        return grip
    grip.release()
    return None


async def end_group(grip: Grip, gone: asyncio.Event, grace: float) -> None:
    """Send TERM, and after the grace KILL, to everything in the group, and wait until the process is gone."""
    grip.signal_group(signal.SIGTERM)
    try:
        async with asyncio.timeout(grace):
            await gone.wait()
    except TimeoutError:
        grip.signal_group(signal.SIGKILL)
        await gone.wait()


def end_rest_of_group(leader: Identity) -> None:
    """Send KILL to what an ended process has left in its group. The kernel does not reuse the number while the group
    has members: if another process has it as its pid, the group is empty.
    """
    if identity_of(leader.pid) in (None, leader):
        _signal_group(leader.pid, signal.SIGKILL)


def reap_group(leader: Identity) -> None:
    """Reap the killed members of the group that are children of the server: as the first process of a container it
    inherits all orphans.
    """
    try:
        while True:
            os.waitpid(-leader.pid, 0)
    except ChildProcessError:
        pass


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        pass
