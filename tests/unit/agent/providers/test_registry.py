import pytest

from wakeful.agent.providers.demo.model import DemoModel
from wakeful.agent.providers.endpoint_settings import EndpointSettings, known_endpoints
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
    settings = EndpointSettings("https://me:secret@host", "sk-secret", headers={"x-key": "secret"})

    assert "secret" not in repr(ProviderSettings({"x": settings}))


def test_a_key_that_is_missing_is_named_by_where_it_is_set() -> None:
    endpoints = {**known_endpoints(), "mine": EndpointSettings(api_key="sk-key", name="mine", needs_key=True)}
    registry = ProviderRegistry(ProviderSettings(endpoints))

    names = ("anthropic:claude", " gemini : flash", "ollama:qwen", "mine:gpt", "demo:wakeful", "nobody:gpt")
    assert [registry.missing_key(name) for name in names] == ["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "", "", "", ""]


def test_a_blank_key_is_none() -> None:
    assert EndpointSettings(api_key=" ", needs_key=True).lacks_key
    assert not EndpointSettings(api_key="").lacks_key


def test_known_endpoints_say_where_their_address_is_set() -> None:
    known = known_endpoints()

    assert known["openai"].url_setting == "OPENAI_BASE_URL"
    assert known["groq"].url_setting == "base_url in [providers.groq]"
    assert known["ollama"].key_setting == "api_key_env in [providers.ollama]"
    assert [name for name, endpoint in known.items() if not endpoint.needs_key] == ["ollama"]
    assert not any(endpoint.is_configured for endpoint in known.values())


def test_secrets_are_found_in_headers_by_their_names() -> None:
    headers = {"X-Api-Key": "one", "authorization": "Bearer two", "Cookie": "three", "x-team": "blue"}

    assert EndpointSettings(headers=headers).secret_headers == {"one", "Bearer two", "two", "three"}


async def test_all_providers_are_closed_and_built_anew_when_they_are_asked_for_again() -> None:
    registry = ProviderRegistry(ProviderSettings())
    first = registry.resolve("demo:wakeful")[0]

    await registry.close()

    assert registry.resolve("demo:wakeful")[0] is not first
