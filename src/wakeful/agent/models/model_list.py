"""Asks OpenAI-compatible endpoints which models they have."""

from collections.abc import Mapping
from dataclasses import asdict
from urllib.parse import urlsplit

from wakeful.agent.models.entry import ModelEntry, ModelSource
from wakeful.agent.models.listed_facts import listed_facts
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.endpoint_url import EndpointUrl
from wakeful.agent.providers.http.response import HttpResponse
from wakeful.agent.providers.http.transport import Transport, request_headers
from wakeful.agent.providers.openai.chunk_stream import json_or_none
from wakeful.agent.providers.openai.provider import EndpointSettings
from wakeful.agent.providers.registry import ProviderSettings
from wakeful.errors import ModelError

_BODY_LIMIT = 8 * 1024 * 1024
_TEXT_LIMIT = 256
# Many JSON parsers read larger numbers inexactly.
_LAST_SECOND = 2**53


def model_sources(settings: ProviderSettings, default: str) -> list[ModelSource]:
    """Return the endpoints that the operator has configured; `default` is the configured model.

    With the demonstration model alone there are none: nothing goes over the network.
    """
    endpoint = settings.openai
    is_configured = bool(endpoint.api_key) or endpoint.base_url != EndpointSettings().base_url
    if is_configured or default.startswith("openai:"):
        return [EndpointModels("openai", endpoint)]
    return []


class EndpointModels:
    """A ModelSource. It keeps no connection open: it is asked every few minutes at most."""

    def __init__(self, provider: str, settings: EndpointSettings) -> None:
        self._provider = provider
        self._settings = settings
        self._key = settings.api_key.strip()
        self._url, self._shown = _addresses(settings.base_url, keep_userinfo=not self._key)
        self._errors = EndpointErrors(self._shown, secret=self._key)

    @property
    def provider(self) -> str:
        return self._provider

    @property
    def settings(self) -> Mapping[str, object]:
        return asdict(self._settings)

    async def list_models(self) -> list[ModelEntry]:
        transport = Transport(
            self._url,
            request_headers(self._key, {"accept": "application/json"}),
            self._errors,
            connect_timeout=self._settings.connect_timeout,
            idle_timeout=self._settings.idle_timeout,
        )
        try:
            async with transport.ask("GET") as response:
                if response.status != 200:
                    refusal = json_or_none(await response.read_error())
                    raise self._errors.refused(response.status, refusal, response.retry_after)
                return self._entries(json_or_none(await self._read(response)))
        finally:
            await transport.close()

    async def _read(self, response: HttpResponse) -> bytes:
        body = bytearray()
        while piece := await response.read():
            body += piece
            if len(body) > _BODY_LIMIT:
                raise self._unlisted()
        return bytes(body)

    def _entries(self, body: object) -> list[ModelEntry]:
        models = body.get("data") if isinstance(body, Mapping) else body
        if not isinstance(models, list):
            raise self._unlisted()
        entries = [self._entry(model) for model in models if isinstance(model, Mapping)]
        return [entry for entry in entries if entry is not None]

    def _entry(self, model: Mapping[str, object]) -> ModelEntry | None:
        """Return None if the model has no name that a client could send back."""
        name, created, owner = (model.get(field) for field in ("id", "created", "owned_by"))
        if not _is_text(name):
            return None
        return ModelEntry.of(
            self._provider,
            str(name),
            created=created if isinstance(created, int) and 0 < created < _LAST_SECOND else 0,
            owned_by=str(owner) if _is_text(owner) else "",
            facts=listed_facts(model),
        )

    def _unlisted(self) -> ModelError:
        return ModelError(
            f"The model endpoint {self._shown} did not answer with a list of models.", code="model_request"
        )


def _addresses(base_url: str, *, keep_userinfo: bool) -> tuple[str, str]:
    """Return the address to ask, and the one to show. The list is a sibling of the route for chat completions."""
    url = EndpointUrl.under(base_url, keep_userinfo=keep_userinfo)
    return _beside(url.target), _beside(url.shown)


def _beside(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(path=parts.path.removesuffix("/chat/completions") + "/models").geturl()


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable() and len(value) <= _TEXT_LIMIT
