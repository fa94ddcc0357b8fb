"""HTTP requests to one address of a model endpoint, directly or through a proxy."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.http.direct import DirectClient
from wakeful.agent.providers.http.proxied import ProxiedClient
from wakeful.agent.providers.http.response import HttpResponse
from wakeful.network.proxy import proxy_for


class Transport:
    """Keeps connections open between requests. Each concurrent request has its own connection."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        errors: EndpointErrors,
        *,
        connect_timeout: float,
        idle_timeout: float,
    ) -> None:
        limits = {"connect_seconds": connect_timeout, "idle_seconds": idle_timeout}
        proxy = proxy_for(url)
        self._client = (
            DirectClient(url, headers, errors, **limits)
            if proxy is None
            else ProxiedClient(url, headers, errors, proxy=proxy, **limits)
        )

    @asynccontextmanager
    async def ask(self, method: str, body: bytes = b"") -> AsyncGenerator[HttpResponse, None]:
        """Send a request and yield the response once its head has arrived. Leaving early closes the connection."""
        response = await self._client.send(method, body)
        try:
            yield response
        finally:
            response.close()

    async def close(self) -> None:
        await self._client.close()
