"""Builds the providers, the models that they list, and the facts about models."""

from wakeful.agent.models.catalogue import Catalogue, settings_marks
from wakeful.agent.models.fact_book import FactBook
from wakeful.agent.models.learnt_windows import WindowFile
from wakeful.agent.models.model_list import model_sources
from wakeful.agent.providers.endpoint_settings import Wire
from wakeful.agent.providers.registry import ProviderRegistry
from wakeful.config.config import Config
from wakeful.errors import ConfigError


def build_providers(config: Config) -> ProviderRegistry:
    registry = ProviderRegistry(config.providers)
    # Fail at the start, not in the first turn.
    for setting, names in (
        ("model", [config.model]),
        ("compact_model", [config.agent.compact_model or config.model]),
        ("fallback_models", config.agent.fallback_models),
    ):
        for name in names:
            try:
                registry.resolve(name)
            except ConfigError as error:
                raise ConfigError(f"{config.origins.get(setting, 'The default model')}: {error}") from error
    return registry


def build_models(config: Config) -> tuple[Catalogue, FactBook]:
    """Return the models that providers list, and the facts about models."""
    sources = model_sources(config.providers, config.model)
    fallbacks = config.agent.fallback_models
    catalogue = Catalogue(sources, config.home / "models.json", config.model, fallbacks=fallbacks)
    learnt = WindowFile(config.home / "windows.json", settings_marks(sources))
    has_cap = config.engine.waking_spend_usd is not None
    configured = {name: table.facts for name, table in config.models.items()}
    dear_writes = {name for name, one in config.providers.endpoints.items() if one.wire is Wire.ANTHROPIC}
    facts = FactBook(configured, catalogue.facts_of, learnt, dear_writes=dear_writes, warns_of_unpriced=has_cap)
    return catalogue, facts
