"""A grip on a running process that never slips to another one: its pidfd."""

import asyncio
import os
import select
import signal

from wakeful.tools.processes.kernel.identity import Identity, identity_of


class Grip:
    """The process leads a group of its own, with the same number."""

    def __init__(self, identity: Identity, pidfd: int) -> None:
        self.identity = identity
        self._pidfd = pidfd
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_released = False

    def watch(self, gone: asyncio.Event) -> None:
        """Set the event when the process has ended, also when it has already."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._pidfd, self._hear, gone)

    @property
    def has_ended(self) -> bool:
        """Also true when it was released: nothing can be done to it any more."""
        if self._is_released:
            return True
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return bool(poll.poll(0))

    def signal_group(self, number: signal.Signals) -> None:
        """Nothing happens when the process has ended: nobody else may get its signal."""
        if not self.has_ended:
            _signal_group(self.identity.pid, number)

    def release(self) -> None:
        """Let go. If it has ended and is a child of ours, it does not stay behind as a zombie."""
        self._unwatch()
        try:
            os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOHANG)
        except ChildProcessError:
            pass
        os.close(self._pidfd)
        self._is_released = True

    def _hear(self, gone: asyncio.Event) -> None:
        self._unwatch()
        gone.set()

    def _unwatch(self) -> None:
        if self._loop is not None:
            self._loop.remove_reader(self._pidfd)
            self._loop = None


def grip_on_pid(pid: int) -> Grip | None:
    """For a process that cannot have been replaced, such as a child of ours; None when there is none."""
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
    """None when that process has ended, or another one has its pid by now."""
    # The pidfd is opened before the start time is read: if that is right, the pidfd is that process's.
    grip = grip_on_pid(identity.pid)
    if grip is None:
        return None
    if grip.identity == identity and not grip.has_ended:
        return grip
    grip.release()
    return None


async def end_group(grip: Grip, gone: asyncio.Event, grace: float) -> None:
    """TERM, and after the grace KILL, to everything in its group; until it is gone."""
    grip.signal_group(signal.SIGTERM)
    try:
        async with asyncio.timeout(grace):
            await gone.wait()
    except TimeoutError:
        grip.signal_group(signal.SIGKILL)
        await gone.wait()


def end_rest_of_group(leader: Identity) -> None:
    """KILL what a process that has ended left in its group. The number stays taken while the group has members; when
    another process has it as its pid, the group is empty and the number that one's.
    """
    if identity_of(leader.pid) in (None, leader):
        _signal_group(leader.pid, signal.SIGKILL)


def reap_group(leader: Identity) -> None:
    """Wait for what has been killed in this group, if it is ours to bury: the first process of a container inherits
    the orphans of all others, and a server may be that one.
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
