"""Requests to one route of a model endpoint, with its key and its headers."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from wakeful.agent.providers.base import ModelRequest
from wakeful.agent.providers.chunk_stream import json_or_none
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.agent.providers.endpoint_url import EndpointUrl
from wakeful.agent.providers.http.response import HttpResponse
from wakeful.agent.providers.http.transport import Transport
from wakeful.errors import ConfigError
from wakeful.model.journal.message import AssistantMessage

_ANTHROPIC_VERSION = "2026-10-21"
_ANSWERS = {
    Wire.OPENAI: "a chat completion",
    Wire.ANTHROPIC: "a message of the Messages API",
    Wire.RESPONSES: "a response of the Responses API",
}


class Attempt(ABC):
    """A request that may be sent again in another form, after the endpoint has refused it."""

    def __init__(self, settings: EndpointSettings, request: ModelRequest) -> None:
        self._settings = settings
        self._request = request

    @abstractmethod
    def body(self) -> bytes: ...

    @abstractmethod
    def relents(self, status: int, words: str) -> bool:
        """Change the request as the words of a refusal ask for; return whether it has changed."""

    def _drop_native(self) -> bool:
        """Leave out the native parts, which the endpoint refuses for example after a change of its account."""
        before = self._request
        messages = [
            replace(said, native=None) if isinstance(said, AssistantMessage) else said for said in before.messages
        ]
        self._request = replace(before, messages=messages)
        return self._request != before


class EndpointClient:
    """Keeps connections open between requests; `close` closes them."""

    def __init__(self, settings: EndpointSettings, route: str, *, accept: str = "text/event-stream") -> None:
        """Raises ConfigError if the address or the key cannot be used."""
        key = settings.api_key.strip()
        url = EndpointUrl.under(settings.base_url, route, keep_userinfo=not key, setting=settings.url_setting)
        self.errors = EndpointErrors(
            url.shown,
            secret=key,
            other_secrets=settings.secret_headers,
            key_setting=settings.key_setting,
            url_setting=settings.url_setting,
            answer=_ANSWERS[settings.wire],
        )
        self._lacks_key = settings.lacks_key
        self._transport = Transport(
            url.target,
            _headers(settings, key, accept),
            self.errors,
            connect_timeout=settings.connect_timeout,
            idle_timeout=settings.idle_timeout,
        )

    @asynccontextmanager
    async def post(self, attempt: Attempt) -> AsyncGenerator[HttpResponse, None]:
        """Yield the response to a request that the endpoint accepted. Raises ModelError."""
        while True:
            async with self._ask("POST", attempt.body()) as response:
                if response.status == 200:
                    yield response
                    return
                refusal = await response.read_error()
                if not attempt.relents(response.status, refusal.decode(errors="replace")):
                    raise self.errors.refused(response.status, json_or_none(refusal), response.retry_after)

    @asynccontextmanager
    async def get(self) -> AsyncGenerator[HttpResponse, None]:
        """Yield the response if its status is 200. Raises ModelError."""
        async with self._ask("GET") as response:
            if response.status != 200:
                refusal = json_or_none(await response.read_error())
                raise self.errors.refused(response.status, refusal, response.retry_after)
            yield response

    async def close(self) -> None:
        await self._transport.close()

    @asynccontextmanager
    async def _ask(self, method: str, body: bytes = b"") -> AsyncGenerator[HttpResponse, None]:
        if self._lacks_key:
            raise self.errors.keyless()
        async with self._transport.ask(method, body) as response:
            yield response


def _headers(settings: EndpointSettings, key: str, accept: str) -> dict[str, str]:
    headers = {
        "accept": accept,
        "content-type": "application/json",
        # A server that compresses a stream holds tokens back until a block is full.
        "accept-encoding": "identity",
        "user-agent": "wakeful",
        **_credentials(settings, key),
    }
    return headers | {name.lower(): value for name, value in settings.headers.items()}


def _credentials(settings: EndpointSettings, key: str) -> dict[str, str]:
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"{settings.key_setting} holds characters that no key has; copy it again.")
    if settings.wire is Wire.ANTHROPIC:
        return {"anthropic-version": _ANTHROPIC_VERSION, **({"x-api-key": key} if key else {})}
    return {"authorization": f"Bearer {key}"} if key else {}
