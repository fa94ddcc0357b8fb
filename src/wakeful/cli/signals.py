"""Ctrl-C and the request to end, as something to wait for."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIG_DFL, SIGINT, SIGTERM, Signals, default_int_handler, signal


@contextmanager
def caught_signals() -> Iterator[asyncio.Future[Signals]]:
    """The first signal is the future's result. A second one ends the process at once, as if none were caught."""
    loop = asyncio.get_running_loop()
    caught: asyncio.Future[Signals] = loop.create_future()

    def catch(number: Signals) -> None:
        release()
        # Not as an exception, which whatever happens to run just then might take for its own.
        signal(SIGINT, SIG_DFL)
        caught.set_result(number)

    def release() -> None:
        for number in (SIGINT, SIGTERM):
            loop.remove_signal_handler(number)

    for number in (SIGINT, SIGTERM):
        loop.add_signal_handler(number, catch, number)
    try:
        yield caught
    finally:
        release()
        signal(SIGINT, default_int_handler)
