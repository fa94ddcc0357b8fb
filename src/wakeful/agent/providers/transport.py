"""One HTTP exchange with a model endpoint. The only file that knows aiohttp, which is imported when first used."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.proxy import proxy_for
from wakeful.errors import ModelError

if TYPE_CHECKING:
    import aiohttp

_DRAIN_SECONDS = 0.2
_ERROR_BODY_LIMIT = 65_536


class Transport:
    """Posts to one address, through a pool without a limit."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        errors: EndpointErrors,
        *,
        connect_timeout: float,
        idle_timeout: float,
    ) -> None:
        self._url = url
        self._headers = headers
        self._errors = errors
        self._connect_timeout = connect_timeout
        self._idle_timeout = idle_timeout
        self._proxy = proxy_for(url)
        self._session: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def post(self, body: bytes) -> AsyncGenerator["Response", None]:
        """Send a request and yield the response when its head is there. Leaving early closes the connection."""
        response = await self._open(body)
        try:
            yield response
        finally:
            response.close()

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _open(self, body: bytes) -> "Response":
        import aiohttp

        if self._session is None:
            self._session = self._new_session()
        try:
            response = await self._session.post(
                self._url, data=body, headers=self._headers, proxy=self._proxy, allow_redirects=False
            )
        except aiohttp.ClientConnectorCertificateError as error:
            raise self._errors.untrusted(str(error.certificate_error)) from error
        except aiohttp.ConnectionTimeoutError as error:
            raise self._errors.late(self._connect_timeout) from error
        except TimeoutError as error:
            raise self._errors.silent(self._idle_timeout) from error
        except aiohttp.ClientResponseError as error:
            # A proxy's answer to CONNECT. Not chained: its repr holds the request's headers.
            raise self._errors.unreachable(f"the proxy answered {error.status}") from None
        except (aiohttp.ClientError, OSError) as error:
            raise self._errors.unreachable(_reason(error)) from error
        return Response(response, self._errors, self._idle_timeout)

    def _new_session(self) -> "aiohttp.ClientSession":
        import aiohttp

        # Not trust_env: it would also read ~/.netrc and send a password found there in place of our key.
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, connect=self._connect_timeout, sock_read=self._idle_timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
        )


class Response:
    def __init__(self, response: "aiohttp.ClientResponse", errors: EndpointErrors, idle_timeout: float) -> None:
        self._response = response
        self._errors = errors
        self._idle_timeout = idle_timeout

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def content_type(self) -> str:
        return self._response.content_type

    @property
    def retry_after(self) -> float | None:
        headers = self._response.headers
        milliseconds = _seconds(headers.get("retry-after-ms", ""))
        if milliseconds is not None:
            return milliseconds / 1000
        return _seconds(headers.get("retry-after", ""))

    async def read(self) -> bytes:
        """Return the next bytes as they arrive, b"" at the end."""
        import aiohttp

        try:
            return await self._response.content.readany()
        except TimeoutError as error:
            raise self._errors.silent(self._idle_timeout) from error
        except (aiohttp.ClientError, OSError) as error:
            raise self._errors.broken() from error

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

    def close(self) -> None:
        # Not release(): the connection of an unfinished response must really go.
        self._response.close()


def _reason(error: Exception) -> str:
    """The system's own words, without the address that our message already names."""
    if isinstance(error, OSError) and error.errno and error.errno > 0:
        return os.strerror(error.errno)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


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
