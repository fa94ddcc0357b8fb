"""How a model endpoint is reached, and the endpoints that need no settings but a key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

_SECRET_HEADER = re.compile("auth|key|token|secret|cookie|password", re.IGNORECASE)


class Wire(StrEnum):
    """The APIs that endpoints speak, named as in `kind` of config.toml."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    RESPONSES = "responses"


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    # Kept out of the repr: it may contain a password.
    base_url: str = field(default="https://api.openai.com/v1", repr=False)
    # Empty: none is sent. Local endpoints need none.
    api_key: str = field(default="", repr=False)
    # The provider's name, before the colon of a model's name.
    name: str = "openai"
    wire: Wire = Wire.OPENAI
    # Sent with every request. They may contain a key.
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    # What the operator changes to change the key and the address, for error messages.
    key_setting: str = "OPENAI_API_KEY"
    url_setting: str = "OPENAI_BASE_URL"
    # Nothing is sent while there is no key.
    needs_key: bool = False
    # The operator has given a key, an address or a table: the catalogue lists its models.
    is_configured: bool = False
    # Fields for the body of every request, by the model's name at the provider.
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    connect_timeout: float = 10.0
    # The longest silence between two chunks, and before the first.
    idle_timeout: float = 120.0

    @property
    def lacks_key(self) -> bool:
        return self.needs_key and not self.api_key.strip()

    @property
    def secret_headers(self) -> set[str]:
        """The values of headers that are named like secrets, and the words after a scheme such as Bearer."""
        values = [value for name, value in self.headers.items() if _SECRET_HEADER.search(name)]
        return {part for value in values for part in (value, value.rpartition(" ")[2])}

    def options_for(self, model: str) -> Mapping[str, Any]:
        return self.options.get(model, {})


@dataclass(frozen=True, slots=True)
class KnownEndpoint:
    base_url: str
    # The environment variable of its key; empty: it needs none.
    key_variable: str = ""
    wire: Wire = Wire.OPENAI
    # The environment variable of its address; empty: only a table changes that.
    url_variable: str = ""


KNOWN_ENDPOINTS: Mapping[str, KnownEndpoint] = MappingProxyType(
    {
        "openai": KnownEndpoint("https://api.openai.com/v1", "OPENAI_API_KEY", url_variable="OPENAI_BASE_URL"),
        "anthropic": KnownEndpoint(
            "https://api.anthropic.com", "ANTHROPIC_API_KEY", Wire.ANTHROPIC, url_variable="ANTHROPIC_BASE_URL"
        ),
        "gemini": KnownEndpoint("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
        "openrouter": KnownEndpoint("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        "mistral": KnownEndpoint("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
        "groq": KnownEndpoint("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        "deepseek": KnownEndpoint("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        "xai": KnownEndpoint("https://api.x.ai/v1", "XAI_API_KEY"),
        "ollama": KnownEndpoint("http://127.0.0.1:11434/v1"),
    }
)


def known_endpoints() -> dict[str, EndpointSettings]:
    """Return the endpoints that need no settings, without their keys."""
    return {
        name: EndpointSettings(
            known.base_url,
            name=name,
            wire=known.wire,
            key_setting=known.key_variable or f"api_key_env in [providers.{name}]",
            url_setting=known.url_variable or f"base_url in [providers.{name}]",
            needs_key=bool(known.key_variable),
        )
        for name, known in KNOWN_ENDPOINTS.items()
    }
