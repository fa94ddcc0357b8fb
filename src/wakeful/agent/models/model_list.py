"""Asks endpoints which models they have."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime

from wakeful.agent.models.entry import ModelEntry, ModelSource
from wakeful.agent.models.listed_facts import listed_facts
from wakeful.agent.providers.chunk_stream import json_or_none
from wakeful.agent.providers.endpoint_client import EndpointClient
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.agent.providers.http.response import HttpResponse
from wakeful.agent.providers.registry import ProviderSettings

_ROUTES = {
    Wire.OPENAI: "/models",
    Wire.RESPONSES: "/models",
    # Its pages are short unless asked for long ones.
    Wire.ANTHROPIC: "/v1/models?limit=1000",
}
_BODY_LIMIT = 8 * 1024 * 1024
_TEXT_LIMIT = 256
# Many JSON parsers read larger numbers inexactly.
_LAST_SECOND = 2**53


def model_sources(settings: ProviderSettings, default: str) -> list[ModelSource]:
    """Return the endpoints that the operator has configured; `default` is the configured model.

    With the demonstration model alone there are none: nothing goes over the network.
    """
    used = default.partition(":")[0]
    endpoints = [one for one in settings.endpoints.values() if one.is_configured or one.name == used]
    return [EndpointModels(endpoint) for endpoint in endpoints if not endpoint.lacks_key]


class EndpointModels:
    """A ModelSource. It keeps no connection open: it is asked every few minutes at most."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings

    @property
    def provider(self) -> str:
        return self._settings.name

    @property
    def settings(self) -> Mapping[str, object]:
        return asdict(self._settings)

    async def list_models(self) -> list[ModelEntry]:
        client = EndpointClient(self._settings, _ROUTES[self._settings.wire], accept="application/json")
        try:
            async with client.get() as response:
                models = _models_in(json_or_none(await _read(response)))
            if models is None:
                raise client.errors.unlisted()
            entries = [self._entry(model) for model in models if isinstance(model, Mapping)]
            return [entry for entry in entries if entry is not None]
        finally:
            await client.close()

    def _entry(self, model: Mapping[str, object]) -> ModelEntry | None:
        """Return None if the model has no name that a client could send back."""
        name, owner = model.get("id"), model.get("owned_by")
        if not _is_text(name):
            return None
        return ModelEntry.of(
            self.provider,
            str(name),
            created=_created(model),
            owned_by=str(owner) if _is_text(owner) else "",
            facts=listed_facts(model),
        )


async def _read(response: HttpResponse) -> bytes:
    """Return the body, empty if it is too large."""
    body = bytearray()
    while piece := await response.read():
        body += piece
        if len(body) > _BODY_LIMIT:
            return b""
    return bytes(body)


def _models_in(body: object) -> list[object] | None:
    models = body.get("data") if isinstance(body, Mapping) else body
    return models if isinstance(models, list) else None


def _created(model: Mapping[str, object]) -> int:
    """Return the second in which the model was made, 0 if the endpoint does not say."""
    created = model.get("created")
    if isinstance(created, int):
        return created if 0 < created < _LAST_SECOND else 0
    try:
        return int(datetime.fromisoformat(str(model.get("created_at"))).timestamp())
    except (ValueError, OverflowError):
        return 0


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable() and len(value) <= _TEXT_LIMIT
