"""Signals that a server ignores because of how it was started, and that its commands must not."""

import signal
import threading

# A shell without job control starts what is in its background with these ignored.
_IGNORED_IN_BACKGROUND = (signal.SIGINT, signal.SIGQUIT)


def hear_interrupts() -> None:
    """What a process ignores stays ignored in all that it starts, and no shell can change that; what it catches does
    not. So catch what is ignored, and do nothing about it: the server behaves as before.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _IGNORED_IN_BACKGROUND:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)
