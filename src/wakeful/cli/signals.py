"""Turns SIGINT and SIGTERM into a future."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIG_DFL, SIGINT, SIGTERM, Signals, default_int_handler, signal


@contextmanager
def caught_signals() -> Iterator[asyncio.Future[Signals]]:
    """Yield a future whose result is the first signal. A second SIGINT or SIGTERM kills the process at once."""
    loop = asyncio.get_running_loop()
    caught: asyncio.Future[Signals] = loop.create_future()

    def catch(number: Signals) -> None:
        release()
        # Not default_int_handler: arbitrary code could catch its KeyboardInterrupt.
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
