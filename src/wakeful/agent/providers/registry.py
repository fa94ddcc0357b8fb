"""Finds the provider for a `provider:model` name. Providers are built on first use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

from wakeful.agent.providers.base import Provider
from wakeful.agent.providers.demo.model import MODEL_NAMES, DemoModel
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire, known_endpoints
from wakeful.errors import ConfigError

_DEMO = "demo"
# Loaded when a provider is first used: most servers speak one of them.
_WIRES = {
    Wire.OPENAI: "wakeful.agent.providers.openai.provider:OpenAICompatible",
    Wire.ANTHROPIC: "wakeful.agent.providers.anthropic.provider:AnthropicMessages",
    Wire.RESPONSES: "wakeful.agent.providers.responses.provider:OpenAIResponses",
}


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    # By the provider's name.
    endpoints: Mapping[str, EndpointSettings] = field(default_factory=known_endpoints)
    # The environment variables that the operator has named for keys.
    key_variables: frozenset[str] = frozenset()
    demo_seconds_per_word: float = 0.03


class ProviderRegistry:
    def __init__(self, settings: ProviderSettings) -> None:
        self._settings = settings
        self._built: dict[str, Provider] = {}

    def resolve(self, name: str) -> tuple[Provider, str]:
        """Return the provider and the model's name there. Raises ConfigError for an unknown name or a wrong setting."""
        provider, model = self._parse(name)
        if provider not in self._built:
            self._built[provider] = self._build(provider)
        return self._built[provider], model

    def missing_key(self, name: str) -> str:
        """Return where the operator sets the key that a provider:model needs and lacks; empty if it can be asked."""
        endpoint = self._settings.endpoints.get(name.partition(":")[0].strip())
        return endpoint.key_setting if endpoint is not None and endpoint.lacks_key else ""

    async def close(self) -> None:
        built, self._built = self._built, {}
        for provider in built.values():
            await provider.close()

    def _build(self, name: str) -> Provider:
        if name == _DEMO:
            return DemoModel(seconds_per_word=self._settings.demo_seconds_per_word)
        endpoint = self._settings.endpoints[name]
        module, _, kind = _WIRES[endpoint.wire].partition(":")
        provider: Provider = getattr(import_module(module), kind)(endpoint)
        return provider

    def _parse(self, name: str) -> tuple[str, str]:
        # Only the first colon counts: local models have names such as llama3.2:3b.
        provider, colon, model = (part.strip() for part in name.partition(":"))
        known = {_DEMO, *self._settings.endpoints}
        listed = ", ".join(sorted(known))
        if not colon:
            raise ConfigError(
                f"The model {name!r} must be written provider:model, as in demo:wakeful; known providers are {listed}."
            )
        if provider not in known:
            raise ConfigError(f"The model {name!r} names an unknown provider; known providers are {listed}.")
        if not model:
            raise ConfigError(f"The model {name!r} names no model after its provider, as demo:wakeful does.")
        if provider == _DEMO and model not in MODEL_NAMES:
            raise ConfigError(f"The model {name!r} is unknown; the demonstration model is demo:wakeful.")
        return provider, model
