"""Which models an agent can choose for its sub-agents."""

from pathlib import Path

import pytest

from wakeful.agent.models.catalogue import Catalogue
from wakeful.agent.models.model_names import ModelNames
from wakeful.agent.providers.registry import ProviderRegistry, ProviderSettings
from wakeful.errors import ConfigError


@pytest.fixture
def names(tmp_path: Path) -> ModelNames:
    catalogue = Catalogue([], tmp_path / "models.json", "ollama:qwen3:8b", fallbacks=["anthropic:claude"])
    return ModelNames(catalogue, ProviderRegistry(ProviderSettings()))


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("demo:wakeful", "demo:wakeful"),
        ("qwen3:8b", "ollama:qwen3:8b"),
        ("wakeful", "ollama:qwen3:8b"),
        ("ollama:another", "ollama:another"),
    ],
)
async def test_a_model_is_chosen_by_the_names_that_sessions_and_clients_use(
    names: ModelNames, name: str, full: str
) -> None:
    assert await names.choose(name) == full


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nobody:knows", "There is no model 'nobody:knows'"),
        ("unlisted", "There is no model 'unlisted'"),
        ("anthropic:claude", "The model anthropic:claude has no key here (ANTHROPIC_API_KEY)"),
    ],
)
async def test_another_one_is_refused_with_those_that_can_be_chosen(names: ModelNames, name: str, reason: str) -> None:
    with pytest.raises(ConfigError) as refused:
        await names.choose(name)
    assert str(refused.value) == f"{reason}; the models are: demo:wakeful, ollama:qwen3:8b."
