"""Requests to an endpoint over our own connections."""

import ssl
import zlib
from collections.abc import Mapping

from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.http.connection import ConnectionBroken, HttpConnection, reason_of
from wakeful.agent.providers.http.dialer import Dialer
from wakeful.agent.providers.http.idle_connections import IdleConnections
from wakeful.agent.providers.http.response import HttpResponse
from wakeful.agent.providers.http.target import RequestTarget
from wakeful.network.content_coding import Unpacked, is_packed


class DirectClient:
    """Each concurrent request has its own connection; finished ones are kept for the next request."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        errors: EndpointErrors,
        *,
        connect_seconds: float,
        idle_seconds: float,
    ) -> None:
        self._target = RequestTarget.of(url, headers)
        self._errors = errors
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._dialer = Dialer(self._target, connect_seconds=connect_seconds, idle_seconds=idle_seconds)
        self._idle = IdleConnections()

    async def send(self, method: str, body: bytes) -> HttpResponse:
        kept = self._idle.take()
        if kept is not None:
            try:
                return await self._ask(kept, method, body)
            except ConnectionBroken as error:
                # The server had closed the idle connection. Asking again is safe: neither a chat completion nor a list
                # of models changes anything at the endpoint.
                if error.is_answered:
                    raise self._errors.unreachable(str(error)) from error
        try:
            return await self._ask(await self._dial(), method, body)
        except ConnectionBroken as error:
            raise self._errors.unreachable(str(error)) from error

    async def close(self) -> None:
        self._idle.close()

    async def _dial(self) -> HttpConnection:
        try:
            return await self._dialer.dial()
        except ssl.SSLCertVerificationError as error:
            raise self._errors.untrusted(str(error)) from error
        except TimeoutError as error:
            raise self._errors.late(self._connect_seconds) from error
        # aiohappyeyeballs lets uvloop's RuntimeError for an unusable address through.
        except (OSError, RuntimeError) as error:
            raise self._errors.unreachable(reason_of(error)) from error

    async def _ask(self, connection: HttpConnection, method: str, body: bytes) -> HttpResponse:
        try:
            status, headers = await connection.ask(self._target.head(method, body), body)
        except TimeoutError as error:
            raise self._errors.silent(self._idle_seconds) from error
        except BaseException:
            connection.close()
            raise
        return _DirectResponse(status, headers, connection, self._idle, self._errors, self._idle_seconds)


class _DirectResponse(HttpResponse):
    def __init__(
        self,
        status: int,
        headers: Mapping[str, str],
        connection: HttpConnection,
        idle: IdleConnections,
        errors: EndpointErrors,
        idle_seconds: float,
    ) -> None:
        super().__init__(status, headers)
        self._connection = connection
        self._idle = idle
        self._errors = errors
        self._idle_seconds = idle_seconds
        coding = headers.get("content-encoding", "").lower()
        self._next = Unpacked(coding, connection.read).read if is_packed(coding) else connection.read

    async def read(self) -> bytes:
        try:
            return await self._next()
        except TimeoutError as error:
            raise self._errors.silent(self._idle_seconds) from error
        except (ConnectionBroken, zlib.error) as error:
            raise self._errors.broken() from error

    def close(self) -> None:
        self._idle.give(self._connection)
