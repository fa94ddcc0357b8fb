"""A server that was started with nohup, or in the background of a script."""

import signal
from collections.abc import Iterator

import pytest

from tests.unit.tools.processes.kit import Ledger, ended, keeping, new_task
from wakeful.tools.processes.interrupts import catch_ignored_signals
from wakeful.tools.processes.settings import ProcessSettings

_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
_IGNORED_SIGNALS = "awk '/^SigIgn/ {print $2}' /proc/self/status"


@pytest.fixture(autouse=True)
def _ignored_signals() -> Iterator[None]:
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("pty", [False, True])
async def test_commands_ignore_no_signal_that_the_server_ignores(
    pty: bool, ledger: Ledger, settings: ProcessSettings
) -> None:
    task = new_task(_IGNORED_SIGNALS, pty=pty)

    async with keeping(ledger, settings) as keeper:
        foreground = await keeper.foreground.run(_IGNORED_SIGNALS, "/", timeout=20, pty=pty)
        await keeper.start(None, task)
        background = await ended(keeper, task.id)

    assert (int(foreground.output, 16), int(background.result, 16)) == (0, 0)


@pytest.mark.parametrize("number", _SIGNALS)
def test_the_server_goes_on_as_if_it_ignored_them(number: signal.Signals) -> None:
    catch_ignored_signals()

    assert callable(signal.getsignal(number)), "the signal would end this test run"
    signal.raise_signal(number)
