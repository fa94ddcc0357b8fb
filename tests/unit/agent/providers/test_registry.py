import pytest

from wakeful.agent.providers.demo.model import DemoModel
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.openai.provider import OpenAICompatible
from wakeful.agent.providers.registry import ProviderRegistry, ProviderSettings
from wakeful.errors import ConfigError


async def test_a_name_gives_its_provider_and_model() -> None:
    registry = ProviderRegistry(ProviderSettings())

    demo, demo_model = registry.resolve("demo:wakeful")
    openai, openai_model = registry.resolve(" openai: llama3.2:3b ")

    assert (type(demo), demo_model) == (DemoModel, "wakeful")
    assert (type(openai), openai_model) == (OpenAICompatible, "llama3.2:3b")
    await registry.close()


def test_a_provider_is_built_once() -> None:
    registry = ProviderRegistry(ProviderSettings())

    assert registry.resolve("openai:a")[0] is registry.resolve("openai:b")[0]


def test_settings_of_a_provider_that_is_not_used_may_be_wrong() -> None:
    registry = ProviderRegistry(ProviderSettings({"openai": EndpointSettings(base_url="nonsense")}))

    registry.resolve("demo:wakeful")

    with pytest.raises(ConfigError, match="OPENAI_BASE_URL"):
        registry.resolve("openai:gpt")


@pytest.mark.parametrize("name", ["gpt", "nobody:gpt", ":gpt", ""])
def test_an_unknown_provider_is_a_clear_error_that_names_the_known_ones(name: str) -> None:
    with pytest.raises(ConfigError, match="known providers are anthropic, deepseek, demo, gemini"):
        ProviderRegistry(ProviderSettings()).resolve(name)


@pytest.mark.parametrize("name", ["openai:", "demo: "])
def test_a_missing_model_name_is_a_clear_error(name: str) -> None:
    with pytest.raises(ConfigError, match="names no model"):
        ProviderRegistry(ProviderSettings()).resolve(name)


def test_an_unknown_demonstration_model_is_a_clear_error() -> None:
    with pytest.raises(ConfigError, match="demo:wakeful"):
        ProviderRegistry(ProviderSettings()).resolve("demo:other")


def test_the_key_is_not_in_the_settings_repr() -> None:
    assert "secret" not in repr(ProviderSettings({"x": EndpointSettings("https://me:secret@host", "sk-secret")}))
