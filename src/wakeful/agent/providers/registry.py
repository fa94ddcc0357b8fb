"""Finds the provider for a `provider:model` name. Providers are built on first use."""

from collections.abc import Callable
from dataclasses import dataclass, field

from wakeful.agent.providers.base import Provider
from wakeful.agent.providers.demo.model import MODEL_NAMES, DemoModel
from wakeful.agent.providers.openai.provider import EndpointSettings, OpenAICompatible
from wakeful.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    openai: EndpointSettings = field(default_factory=EndpointSettings)
    demo_seconds_per_word: float = 0.03


class ProviderRegistry:
    def __init__(self, settings: ProviderSettings) -> None:
        self._builders: dict[str, Callable[[], Provider]] = {
            "demo": lambda: DemoModel(seconds_per_word=settings.demo_seconds_per_word),
            "openai": lambda: OpenAICompatible(settings.openai),
        }
        self._built: dict[str, Provider] = {}

    def resolve(self, name: str) -> tuple[Provider, str]:
        """Return the provider and the model's name there. Raises ConfigError for an unknown name or a wrong setting."""
        provider, model = self._parse(name)
        if provider not in self._built:
            self._built[provider] = self._builders[provider]()
        return self._built[provider], model

    async def close(self) -> None:
        built, self._built = self._built, {}
        for provider in built.values():
            await provider.close()

    def _parse(self, name: str) -> tuple[str, str]:
        # Only the first colon counts: local models have names such as llama3.2:3b.
        provider, colon, model = (part.strip() for part in name.partition(":"))
        known = " and ".join(sorted(self._builders))
        if not colon:
            raise ConfigError(
                f"The model {name!r} must be written provider:model, as in demo:wakeful; known providers are {known}."
            )
        if provider not in self._builders:
            raise ConfigError(f"The model {name!r} names an unknown provider; known providers are {known}.")
        if not model:
            raise ConfigError(f"The model {name!r} names no model after its provider, as demo:wakeful does.")
        if provider == "demo" and model not in MODEL_NAMES:
            raise ConfigError(f"The model {name!r} is unknown; the demonstration model is demo:wakeful.")
        return provider, model
