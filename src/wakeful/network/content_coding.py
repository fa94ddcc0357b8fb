"""Decompresses bodies that a server has compressed although the request forbade it."""

import zlib
from collections.abc import Awaitable, Callable

# Most bytes that one step unpacks: compressed data can expand a thousandfold.
_STEP = 65_536
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS


class Unpacked:
    """Unpacks a body as it arrives. Raises zlib.error if the body is damaged or incomplete."""

    def __init__(self, coding: str, read: Callable[[], Awaitable[bytes]]) -> None:
        self._is_gzip = coding != "deflate"
        self._read = read
        self._unpacker: zlib._Decompress | None = None

    async def read(self) -> bytes:
        """Return the next bytes, b"" at the end."""
        while True:
            packed = self._unpacker.unconsumed_tail if self._unpacker is not None else b""
            packed = packed or await self._read()
            if not packed:
                self._require_end()
                return b""
            if piece := self._unpack(packed):
                return piece

    def _unpack(self, packed: bytes) -> bytes:
        if self._unpacker is None:
            # "deflate" means zlib's format, but some servers omit its header.
            is_raw = packed[0] & 0x0F != 8
            self._unpacker = zlib.decompressobj(_GZIP if self._is_gzip else _RAW if is_raw else _ZLIB)
        return b"" if self._unpacker.eof else self._unpacker.decompress(packed, _STEP)

    def _require_end(self) -> None:
        if self._unpacker is not None and not self._unpacker.eof:
            raise zlib.error("the body is incomplete")


def is_packed(coding: str) -> bool:
    """Whether `Unpacked` supports this coding. Other bodies are passed on as they are, and are no valid answer."""
    return coding in ("gzip", "x-gzip", "deflate")
