"""Ctrl-C and the request to end, as something to wait for."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM, Signals


@contextmanager
def caught_signals() -> Iterator[asyncio.Future[Signals]]:
    """The first signal is the future's result. A second one ends the process at once, as if none were caught."""
    loop = asyncio.get_running_loop()
    caught: asyncio.Future[Signals] = loop.create_future()

    def catch(signal: Signals) -> None:
        release()
        caught.set_result(signal)

    def release() -> None:
        for signal in (SIGINT, SIGTERM):
            loop.remove_signal_handler(signal)

    for signal in (SIGINT, SIGTERM):
        loop.add_signal_handler(signal, catch, signal)
    try:
        yield caught
    finally:
        release()
