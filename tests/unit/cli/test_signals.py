"""Ctrl-C and SIGTERM end a command in order; the second one ends it at once."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from wakeful.cli.signals import caught_signals


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Handlers as a command finds them, and those of the tests again at the end."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_the_first_one_is_told_and_a_second_one_would_kill(number: signal.Signals) -> None:
    with caught_signals() as caught:
        os.kill(os.getpid(), number)
        async with asyncio.timeout(5):
            assert await caught == number

        assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == [signal.SIG_DFL] * 2

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


async def test_afterwards_signals_do_what_they_did_before() -> None:
    with caught_signals() as caught:
        pass

    assert not caught.done()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
