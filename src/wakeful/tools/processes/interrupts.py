"""Signals that the server ignores because of how it was started, but that its commands must receive."""

import signal
import threading

# nohup ignores the first; a shell without job control ignores the other two in its background jobs.
_IGNORED_AT_START = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)


def catch_ignored_signals() -> None:
    """Replace ignored signals by a handler that does nothing. The server behaves as before, but its children start with
    the default action: exec resets caught signals and keeps ignored ones, and no shell can undo that.

    Python sets handlers on the main thread only. On any other thread this does nothing, and commands inherit what
    the program ignores.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _IGNORED_AT_START:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)
