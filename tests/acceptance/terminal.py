"""A terminal with the `wakeful` command in it: what it shows, as text, and what a person types."""

import asyncio
import codecs
import os
import re
import signal
import termios
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.acceptance.command import Command
from tests.patience import PATIENCE
from tests.warm import Order, start_async

_SEQUENCES = re.compile(r"\x1b\][^\x07]*\x07|\x1b\[[0-?]*[ -/]*[@-~]|\x1b.|\r")

CTRL_C = "\x03"
CTRL_D = "\x04"


class Terminal:
    def __init__(self, process: Process, master: int) -> None:
        self.process = process
        self._master = master
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # Everything that the command has written, as the terminal gets it.
        self.raw = ""
        # Where the text ends that a test has waited for.
        self._seen = 0
        self._has_more = asyncio.Event()
        asyncio.get_running_loop().add_reader(master, self._read)

    @property
    def text(self) -> str:
        """The output without colours and cursor movements."""
        return _SEQUENCES.sub("", self.raw)

    async def see(self, words: str) -> None:
        """Wait until this text is written, after the text of the last wait."""
        try:
            async with asyncio.timeout(PATIENCE):
                while words not in self.text[self._seen :]:
                    self._has_more.clear()
                    await self._has_more.wait()
        except TimeoutError:
            raise AssertionError(f"{words!r} was not seen in:\n{self.text[self._seen :]}") from None
        self._seen = self.text.index(words, self._seen) + len(words)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def enter(self, line: str) -> None:
        self.type(f"{line}\r")

    async def end(self) -> int:
        """Wait for the end of the command; return its exit code."""
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()

    async def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        await self.end()

    def close(self) -> None:
        if self._master >= 0:
            asyncio.get_running_loop().remove_reader(self._master)
            os.close(self._master)
            self._master = -1

    def _read(self) -> None:
        try:
            data = os.read(self._master, 65_536)
        except OSError:
            # The command has closed its end.
            data = b""
        if not data:
            self.close()
        self.raw += self._decoder.decode(data)
        self._has_more.set()


@asynccontextmanager
async def in_terminal(wakeful: Command, *arguments: str, columns: int = 120, rows: int = 40) -> AsyncIterator[Terminal]:
    """Run the command in a new terminal, and kill it at the end if it still runs."""
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (rows, columns))
    try:
        order = Order(arguments, wakeful.folder, _environment(wakeful), is_leader=True)
        process = await start_async(order, stdin=slave, stdout=slave, stderr=slave)
    finally:
        os.close(slave)
    terminal = Terminal(process, master)
    try:
        yield terminal
    finally:
        if process.returncode is None:
            await terminal.kill()
        terminal.close()


def _environment(wakeful: Command) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("WAKEFUL_", "OPENAI_", "ANTHROPIC_"))
    }
    return inherited | {"TERM": "xterm-256color", "WAKEFUL_HOME": str(wakeful.home)} | wakeful.settings
