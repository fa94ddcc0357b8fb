"""Only a configured provider is asked for its models."""

import pytest

from wakeful.agent.models.sources import model_sources
from wakeful.agent.providers.openai.provider import EndpointSettings
from wakeful.agent.providers.registry import ProviderSettings


def test_with_the_demonstration_model_alone_there_is_nobody_to_ask() -> None:
    assert model_sources(ProviderSettings(), "demo:wakeful") == []


@pytest.mark.parametrize(
    ("endpoint", "default"),
    [
        (EndpointSettings(api_key="sk-1"), "demo:wakeful"),
        (EndpointSettings(base_url="http://localhost:11434/v1"), "demo:wakeful"),
        (EndpointSettings(), "openai:gpt-5"),
    ],
)
def test_a_configured_endpoint_is_asked(endpoint: EndpointSettings, default: str) -> None:
    sources = model_sources(ProviderSettings(openai=endpoint), default)

    assert [source.provider for source in sources] == ["openai"]
