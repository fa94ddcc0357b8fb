"""The log of what an MCP server says on its standard error: a file that stays small."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 1024 * 1024
_CHUNK = 64 * 1024
# A longer line is cut into pieces.
_LONGEST_LINE = 16 * 1024


class ServerLog:
    def __init__(self, path: Path, redact: Callable[[str], str]) -> None:
        """`redact` removes known secrets."""
        self._path = path
        self._redact = redact
        self.last_line = ""

    async def keep(self, source: asyncio.StreamReader) -> None:
        """Write what comes until it ends."""
        self.last_line = ""
        rest = b""
        while chunk := await source.read(_CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > _LONGEST_LINE:
                lines.append(rest)
                rest = b""
            await asyncio.to_thread(self._write, lines)
        await asyncio.to_thread(self._write, [rest] if rest else [])

    def _write(self, lines: list[bytes]) -> None:
        texts = [self._redact(line.decode(errors="replace").rstrip("\r")) for line in lines]
        if not texts:
            return
        self.last_line = next((text.strip() for text in reversed(texts) if text.strip()), self.last_line)
        # On a full disk the lines are lost. They must still be read: a server whose pipe is full stands still.
        with suppress(OSError):
            self._append("".join(f"{text}\n" for text in texts).encode(errors="replace"))

    def _append(self, lines: bytes) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            file.write(lines)
            size = file.tell()
        if size > MOST_BYTES:
            self._halve()

    def _halve(self) -> None:
        """Keep the newest lines of half the size."""
        _, _, kept = self._path.read_bytes()[-MOST_BYTES // 2 :].partition(b"\n")
        self._path.write_bytes(kept)
