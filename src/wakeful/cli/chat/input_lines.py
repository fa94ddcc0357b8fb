"""Reads standard input line by line, without blocking the event loop or the exit of the program."""

import asyncio
import os
import sys
from threading import Thread

from wakeful.errors import MessageUnusable

_CHUNK = 65_536


class InputLines:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        # A read may never return, so a daemon thread does it: the program exits without waiting for it. The thread does
        # not read through sys.stdin, for whose lock the interpreter waits when it exits.
        Thread(target=self._read, args=[sys.stdin.fileno()], name="standard input", daemon=True).start()

    async def next(self) -> str:
        """Return the next line, empty at the end of the input. Raises MessageUnusable for a line that is not UTF-8."""
        line = await self._lines.get()
        if not line:
            # Later calls get the end again.
            self._lines.put_nowait(line)
        try:
            return line.decode()
        except UnicodeDecodeError:
            raise MessageUnusable("Standard input is not text in UTF-8.") from None

    def _read(self, source: int) -> None:
        rest = b""
        while chunk := os.read(source, _CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            self._hand_over([line + b"\n" for line in lines])
        self._hand_over([rest + b"\n", b""] if rest else [b""])

    def _hand_over(self, lines: list[bytes]) -> None:
        for line in lines:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
