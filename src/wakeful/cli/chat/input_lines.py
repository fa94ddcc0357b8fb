"""Standard input, line by line, without holding up the event loop or the end of the program."""

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
        # Reading may never return, and nobody must wait for it: hence a thread of its own, that ends with the program.
        Thread(target=self._read, name="standard input", daemon=True).start()

    async def next(self) -> str:
        """The next line, or an empty text at the end. Raises MessageUnusable for a line that is no text."""
        line = await self._lines.get()
        if not line:
            # The end stays the end.
            self._lines.put_nowait(line)
        try:
            return line.decode()
        except UnicodeDecodeError:
            raise MessageUnusable("What standard input holds is not a text in UTF-8.") from None

    def _read(self) -> None:
        # Not through sys.stdin, whose lock the end of the program would wait for.
        rest = b""
        while chunk := os.read(sys.stdin.fileno(), _CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            self._hand_over([line + b"\n" for line in lines])
        self._hand_over([rest + b"\n", b""] if rest else [b""])

    def _hand_over(self, lines: list[bytes]) -> None:
        for line in lines:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
