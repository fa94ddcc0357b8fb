"""An endpoint's response whose head has arrived."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from wakeful.errors import ModelError

_DRAIN_SECONDS = 0.2
_ERROR_BODY_LIMIT = 65_536


class HttpResponse(ABC):
    def __init__(self, status: int, headers: Mapping[str, str]) -> None:
        """The names in `headers` are in lower case, or the mapping ignores case."""
        self.status = status
        self.content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        self._headers = headers

    @property
    def retry_after(self) -> float | None:
        milliseconds = _seconds(self._headers.get("retry-after-ms", ""))
        if milliseconds is not None:
            return milliseconds / 1000
        return _seconds(self._headers.get("retry-after", ""))

    @abstractmethod
    async def read(self) -> bytes:
        """Return the next bytes of the body, b"" at its end. Raises ModelError."""

    @abstractmethod
    def close(self) -> None:
        """Keep the connection if the response was read to its end; otherwise close it."""

    async def read_whole(self) -> bytes:
        pieces = []
        while piece := await self.read():
            pieces.append(piece)
        return b"".join(pieces)

    async def read_error(self) -> bytes:
        """Return the first bytes of an error's body. A failure while reading must not hide the status."""
        body = b""
        try:
            while len(body) < _ERROR_BODY_LIMIT and (piece := await self.read()):
                body += piece
        except ModelError:
            pass
        return body

    async def drain(self) -> None:
        """Read the rest of the body for a moment: only a response read to its end keeps its connection."""
        try:
            async with asyncio.timeout(_DRAIN_SECONDS):
                while await self.read():
                    pass
        except (ModelError, TimeoutError):
            pass


def _seconds(text: str) -> float | None:
    """Return the seconds of a Retry-After header, which holds a number or a date."""
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
