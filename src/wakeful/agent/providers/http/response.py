"""The response of an endpoint, of which the head has arrived."""

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
        """Names of headers are in lower case, or the mapping does not care."""
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
        """Return the next bytes as they arrive, b"" at the end. Raises ModelError."""

    @abstractmethod
    def close(self) -> None:
        """Free the connection if the response was read to its end; otherwise close it."""

    async def read_whole(self) -> bytes:
        pieces = []
        while piece := await self.read():
            pieces.append(piece)
        return b"".join(pieces)

    async def read_error(self) -> bytes:
        """Return the body of a refusal, as far as it is of use; its loss must not hide the status."""
        body = b""
        try:
            while len(body) < _ERROR_BODY_LIMIT and (piece := await self.read()):
                body += piece
        except ModelError:
            pass
        return body

    async def drain(self) -> None:
        """Read what is left after the answer, for a moment: only a response read to its end frees its connection
        for the next request."""
        try:
            async with asyncio.timeout(_DRAIN_SECONDS):
                while await self.read():
                    pass
        except (ModelError, TimeoutError):
            pass


def _seconds(text: str) -> float | None:
    """The value of a Retry-After header: a number of seconds or a date."""
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
