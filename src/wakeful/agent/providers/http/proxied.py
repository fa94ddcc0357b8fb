"""Requests to an endpoint through a proxy. aiohttp is imported on first use: most servers never need it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.http.connection import reason_of
from wakeful.agent.providers.http.response import HttpResponse

if TYPE_CHECKING:
    import aiohttp


class ProxiedClient:
    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        errors: EndpointErrors,
        *,
        proxy: str,
        connect_seconds: float,
        idle_seconds: float,
    ) -> None:
        self._url = url
        self._headers = headers
        self._errors = errors
        self._proxy = proxy
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._session: aiohttp.ClientSession | None = None

    async def send(self, method: str, body: bytes) -> HttpResponse:
        import aiohttp

        if self._session is None:
            self._session = self._new_session()
        try:
            response = await self._session.request(
                method, self._url, data=body or None, headers=self._headers, proxy=self._proxy, allow_redirects=False
            )
        except aiohttp.ClientConnectorCertificateError as error:
            raise self._errors.untrusted(str(error.certificate_error)) from error
        except aiohttp.ConnectionTimeoutError as error:
            raise self._errors.late(self._connect_seconds) from error
        except TimeoutError as error:
            raise self._errors.silent(self._idle_seconds) from error
        except aiohttp.ClientResponseError as error:
            # The proxy's answer to CONNECT. Not chained: its repr contains the request's headers, and so the key.
            raise self._errors.unreachable(f"the proxy answered {error.status}") from None
        except (aiohttp.ClientError, OSError) as error:
            raise self._errors.unreachable(reason_of(error)) from error
        return _ProxiedResponse(response, self._errors, self._idle_seconds)

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _new_session(self) -> "aiohttp.ClientSession":
        import aiohttp

        # Not trust_env, which would also read ~/.netrc and send a password from there in place of the key.
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, connect=self._connect_seconds, sock_read=self._idle_seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
        )


class _ProxiedResponse(HttpResponse):
    def __init__(self, response: "aiohttp.ClientResponse", errors: EndpointErrors, idle_seconds: float) -> None:
        super().__init__(response.status, response.headers)
        self._response = response
        self._errors = errors
        self._idle_seconds = idle_seconds

    async def read(self) -> bytes:
        import aiohttp

        try:
            return await self._response.content.readany()
        except TimeoutError as error:
            raise self._errors.silent(self._idle_seconds) from error
        except (aiohttp.ClientError, OSError) as error:
            raise self._errors.broken() from error

    def close(self) -> None:
        # Not release(): the connection of an unfinished response has to be closed.
        self._response.close()
